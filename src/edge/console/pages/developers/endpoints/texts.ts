import type { Texts } from '../../../language.ts';

type Name =
  | 'title'
  | 'add'
  | 'edit'
  | 'change'
  | 'save'
  | 'cancel'
  | 'address'
  | 'addressHelp'
  | 'description'
  | 'state'
  | 'events'
  | 'everything'
  | 'chooseTypes'
  | 'version'
  | 'versionHelp'
  | 'activeLabel'
  | 'activeHelp'
  | 'inactiveNote'
  | 'created'
  | 'none'
  | 'noneText'
  | 'details'
  | 'id'
  | 'failingSince'
  | 'test'
  | 'rotate'
  | 'rotateWhat'
  | 'delete'
  | 'deleteWhat'
  | 'secret'
  | 'secretTitle'
  | 'secretNote'
  | 'secretOnce'
  | 'secretUse'
  | 'secretKept'
  | 'deliveries'
  | 'noDeliveries'
  | 'noDeliveriesText'
  | 'event'
  | 'answer'
  | 'attempt'
  | 'time'
  | 'sent'
  | 'next';

type EndpointTexts = Record<Name, string> & {
  states: Record<'active' | 'failing' | 'full' | 'inactive' | 'disabled', string>;
  full(since: string): string;
  done: Record<'again' | 'edit' | 'test' | 'delete' | 'resend' | 'nothing', string>;
  resend: Record<'title' | 'type' | 'everyType' | 'from' | 'to' | 'submit' | 'progress' | 'refresh', string> & {
    note(most: string): string;
    sent(sent: string, of: string): string;
    ended(events: number): string;
  };
};

export const ENDPOINT_TEXTS: Texts<EndpointTexts> = {
  en: {
    title: 'Webhook endpoints',
    add: 'Add an endpoint',
    edit: 'Edit the endpoint',
    change: 'Edit',
    save: 'Save',
    cancel: 'Cancel',
    address: 'URL',
    addressHelp: 'An https address of your server. Each event is sent to it as a POST request.',
    description: 'Description',
    state: 'Status',
    events: 'Events',
    everything: 'All events, also future types',
    chooseTypes: 'Only some types',
    version: 'API version',
    versionHelp: 'The version in which events are written.',
    activeLabel: 'Active',
    activeHelp: 'An inactive endpoint receives nothing: its waiting deliveries are dropped.',
    inactiveNote: 'This endpoint is inactive and receives nothing.',
    created: 'Created (UTC)',
    none: 'No endpoints yet',
    noneText: 'Add the address of your server, and it receives each event as it happens.',
    details: 'Details',
    id: 'Id',
    failingSince: 'Failing since',
    test: 'Send a test event',
    rotate: 'Rotate the secret',
    rotateWhat:
      'A new signing secret takes effect at once, also for deliveries that wait for a retry. Until your server has it, signatures do not match there.',
    delete: 'Delete',
    deleteWhat: 'Nothing more is sent to this endpoint, and its waiting deliveries are dropped. This cannot be undone.',
    secret: 'Signing secret',
    secretTitle: 'Your signing secret',
    secretNote: 'The signing secret is shown on the next page, once.',
    secretOnce: 'Copy the secret now. It is not shown again.',
    secretUse: 'Your server verifies the header X-Service-Signature of each delivery with it.',
    secretKept: 'I have stored it',
    deliveries: 'Deliveries',
    noDeliveries: 'No deliveries yet',
    noDeliveriesText: 'Send a test event to see what your server answers.',
    event: 'Event',
    answer: 'Response',
    attempt: 'Attempt',
    time: 'Duration',
    sent: 'Sent (UTC)',
    next: 'Next attempt:',
    full: (since) =>
      `Since ${since} (UTC) new events are not queued for this endpoint, because too many deliveries are waiting. Waiting deliveries are still sent. New events are queued again once few are left; then resend the events of this period.`,
    states: { active: 'Active', failing: 'Failing', full: 'Backlog full', inactive: 'Inactive', disabled: 'Deactivated' },
    done: {
      again: 'This endpoint was already added by the same form. If you do not have its secret, rotate it.',
      edit: 'The endpoint was saved.',
      test: 'A test event is on its way. Reload the page to see the response.',
      delete: 'The endpoint was deleted.',
      resend: 'The events are on their way again. Reload the page to see the responses.',
      nothing: 'There are no such events in this time, so nothing was sent.',
    },
    resend: {
      title: 'Send events again',
      note: (most) => `Each event keeps its id, so that a receiver recognises it. At most ${most} at once.`,
      type: 'Type',
      everyType: 'Every type that this endpoint receives',
      from: 'From (UTC)',
      to: 'Until (UTC)',
      submit: 'Send again',
      progress: 'Events sent again',
      refresh: 'Refresh',
      sent: (sent, of) => `${sent} of ${of} sent.`,
      ended: (events) =>
        events === 1 ? 'The event was sent. The response is below.' : 'All were sent. The responses are below.',
    },
  },
  fr: {
    title: 'Points de terminaison webhook',
    add: 'Ajouter un point de terminaison',
    edit: 'Modifier le point de terminaison',
    change: 'Modifier',
    save: 'Enregistrer',
    cancel: 'Annuler',
    address: 'URL',
    addressHelp: 'Une adresse https de votre serveur. Chaque événement lui est envoyé par une requête POST.',
    description: 'Description',
    state: 'Statut',
    events: 'Événements',
    everything: 'Tous les événements, y compris les types à venir',
    chooseTypes: 'Certains types seulement',
    version: 'Version de l’API',
    versionHelp: 'La version dans laquelle les événements sont écrits.',
    activeLabel: 'Actif',
    activeHelp: 'Un point de terminaison inactif ne reçoit rien : ses envois en attente sont abandonnés.',
    inactiveNote: 'Ce point de terminaison est inactif et ne reçoit rien.',
    created: 'Créé le (UTC)',
    none: 'Aucun point de terminaison pour le moment',
    noneText: 'Ajoutez l’adresse de votre serveur : il recevra chaque événement dès qu’il se produit.',
    details: 'Détails',
    id: 'Identifiant',
    failingSince: 'En échec depuis',
    test: 'Envoyer un événement de test',
    rotate: 'Renouveler le secret',
    rotateWhat:
      'Le nouveau secret de signature prend effet immédiatement, y compris pour les envois en attente d’une nouvelle tentative. Tant que votre serveur ne l’a pas, les signatures n’y correspondent plus.',
    delete: 'Supprimer',
    deleteWhat:
      'Plus rien n’est envoyé à ce point de terminaison, et ses envois en attente sont abandonnés. Cette action est irréversible.',
    secret: 'Secret de signature',
    secretTitle: 'Votre secret de signature',
    secretNote: 'Le secret de signature s’affiche sur la page suivante, une seule fois.',
    secretOnce: 'Copiez le secret maintenant. Il ne sera plus affiché.',
    secretUse: 'Il permet à votre serveur de vérifier l’en-tête X-Service-Signature de chaque envoi.',
    secretKept: 'Je l’ai conservé',
    deliveries: 'Envois',
    noDeliveries: 'Aucun envoi pour le moment',
    noDeliveriesText: 'Envoyez un événement de test pour voir la réponse de votre serveur.',
    event: 'Événement',
    answer: 'Réponse',
    attempt: 'Tentative',
    time: 'Durée',
    sent: 'Envoyé le (UTC)',
    next: 'Prochaine tentative :',
    full: (since) =>
      `Depuis le ${since} (UTC), les nouveaux événements ne sont plus mis en file pour ce point de terminaison, car trop d’envois sont en attente. Les envois déjà en attente seront effectués. Quand la file sera presque vide, les nouveaux événements y seront de nouveau ajoutés : renvoyez alors ceux de cette période.`,
    states: { active: 'Actif', failing: 'En échec', full: 'File pleine', inactive: 'Inactif', disabled: 'Désactivé' },
    done: {
      again: 'Ce point de terminaison a déjà été ajouté par le même formulaire. Si vous n’avez pas son secret, renouvelez-le.',
      edit: 'Le point de terminaison est enregistré.',
      test: 'Un événement de test est en cours d’envoi. Actualisez la page pour voir la réponse.',
      delete: 'Le point de terminaison est supprimé.',
      resend: 'Les événements sont de nouveau en cours d’envoi. Actualisez la page pour voir les réponses.',
      nothing: 'Aucun événement de ce type dans cette période : rien n’a été envoyé.',
    },
    resend: {
      title: 'Renvoyer des événements',
      note: (most) =>
        `Chaque événement garde son identifiant, ce qui permet au destinataire de le reconnaître. Au plus ${most} à la fois.`,
      type: 'Type',
      everyType: 'Tous les types que reçoit ce point de terminaison',
      from: 'À partir de (UTC)',
      to: 'Jusqu’à (UTC)',
      submit: 'Renvoyer',
      progress: 'Événements renvoyés',
      refresh: 'Actualiser',
      sent: (sent, of) => `Envoyés : ${sent} sur ${of}.`,
      ended: (events) =>
        events === 1
          ? 'L’événement a été envoyé. La réponse figure ci-dessous.'
          : 'Tous ont été envoyés. Les réponses figurent ci-dessous.',
    },
  },
};
