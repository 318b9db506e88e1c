import type { ApprovalFault } from '../../../../tenants/approvals/faults.ts';
import type { ApprovalState } from '../../../../tenants/approvals/states.ts';
import type { Texts } from '../../language.ts';

/** What a second person can be asked for. */
export type AskedFor =
  | 'POST /refunds'
  | 'POST /transfers'
  | 'POST /disputes/:id/accept'
  | 'POST /accounts'
  | 'PATCH /accounts/:id'
  | 'key.create'
  | 'key.roll'
  | 'key.activate'
  | 'person.role'
  | 'person.remove'
  | 'person.invite'
  | 'person.resend'
  | 'threshold.set'
  | 'threshold.remove';

type Name =
  | 'title'
  | 'note'
  | 'waiting'
  | 'ended'
  | 'noneTitle'
  | 'noneText'
  | 'off'
  | 'thresholds'
  | 'what'
  | 'amount'
  | 'total'
  | 'askedBy'
  | 'askedAt'
  | 'until'
  | 'state'
  | 'you'
  | 'former'
  | 'back'
  | 'decidedBy'
  | 'decidedAt'
  | 'doneAt'
  | 'result'
  | 'message'
  | 'details'
  | 'approve'
  | 'reject'
  | 'withdraw'
  | 'run'
  | 'make'
  | 'approveNote'
  | 'ownNote'
  | 'roleNote'
  | 'makeNote'
  | 'runNote'
  | 'payeeNote'
  | 'payeeChanged'
  | 'accountNote'
  | 'accountChanged'
  | 'roleChanged'
  | 'unreadable'
  | 'invitationChanged'
  | 'thresholdChanged'
  | 'keyChanged'
  | 'never'
  | 'anyAddress'
  /** Beside the state: this person may decide. */
  | 'forYou'
  /** An operation that ran, and whose payout or refund has failed. */
  | 'unmade'
  | 'unmadeText';

interface ApprovalTexts extends Record<Name, string> {
  operations: Record<AskedFor, string>;
  states: Record<ApprovalState, string>;
  /** What the state means, on the page of an approval. */
  stateTexts: Record<ApprovalState, string>;
  faults: Record<ApprovalFault, string>;
  done: Record<'approve' | 'reject' | 'withdraw', string>;
}

export const APPROVAL_TEXTS: Texts<ApprovalTexts> = {
  en: {
    title: 'Approvals',
    note: 'Operations that a second person approves before they run.',
    waiting: 'Waiting',
    ended: 'Ended',
    noneTitle: 'Nothing waits for a second person',
    noneText: 'Refunds, payouts and disputes above your thresholds, subaccounts, keys, people and thresholds appear here.',
    off: 'No threshold is set: nothing needs a second person.',
    thresholds: 'Thresholds',
    what: 'What',
    amount: 'Amount',
    total: 'Leaves the balance, with the fee',
    askedBy: 'Asked by',
    askedAt: 'Asked (UTC)',
    until: 'Until (UTC)',
    state: 'State',
    you: 'You',
    former: 'somebody who left the team',
    back: 'Approvals',
    decidedBy: 'Decided by',
    decidedAt: 'Decided (UTC)',
    doneAt: 'Ended (UTC)',
    result: 'Result',
    message: 'Why it failed',
    details: 'What runs when it is approved',
    approve: 'Approve',
    reject: 'Reject',
    withdraw: 'Withdraw',
    run: 'Run it again',
    make: 'Create the key and show it',
    approveNote: 'It runs at once, as you, when you approve.',
    ownNote: 'You asked for this: somebody else decides.',
    roleNote: 'Your role does not permit a decision on this.',
    makeNote: 'The key is shown once, to you only.',
    runNote: 'The answer is not known. Running it again cannot repeat it: it happens once.',
    payeeNote: 'Recipient when it was asked for',
    payeeChanged: 'The recipient has changed since: an approval will fail.',
    accountNote: 'Where its money went when it was asked for',
    accountChanged: 'Where its money goes has changed since: an approval will fail.',
    unreadable: 'No key of this installation decrypts this request. It cannot be approved; it ends by itself.',
    roleChanged: 'The role of this person has changed since: an approval will fail.',
    invitationChanged: 'This address was invited to another role since: an approval will fail.',
    thresholdChanged: 'The threshold has changed since: an approval will fail.',
    keyChanged: 'The key has changed since: an approval will fail.',
    never: 'does not end',
    anyAddress: 'any address',
    forYou: 'Waits for you',
    unmade: 'Ran and failed',
    unmadeText: 'It was approved and ran, but the payout or refund that it created has failed: see the result.',
    operations: {
      'POST /refunds': 'Refund',
      'POST /transfers': 'Payout',
      'POST /disputes/:id/accept': 'Acceptance of a dispute',
      'POST /accounts': 'New subaccount',
      'PATCH /accounts/:id': 'Change of a subaccount',
      'key.create': 'New API key',
      'key.roll': 'Replacement of an API key',
      'key.activate': 'Activation of an API key',
      'person.role': 'Change of a role',
      'person.remove': 'Removal of a person',
      'person.invite': 'Invitation',
      'person.resend': 'Renewal of an invitation',
      'threshold.set': 'New threshold',
      'threshold.remove': 'Removal of a threshold',
    },
    states: {
      open: 'Open',
      expired: 'Expired',
      approved: 'Approved',
      lapsed: 'Not completed',
      done: 'Done',
      failed: 'Failed',
      rejected: 'Rejected',
      withdrawn: 'Withdrawn',
    },
    stateTexts: {
      open: 'Nothing has happened yet.',
      expired: 'Nobody decided in time. Nothing has happened.',
      approved: 'It is approved, and not completed yet.',
      lapsed: 'It was approved and not completed in time. Check whether it happened before you ask again.',
      done: 'It is approved and done.',
      failed: 'It was approved, and failed. Nothing has happened.',
      rejected: 'It was rejected. Nothing has happened.',
      withdrawn: 'It was withdrawn. Nothing has happened.',
    },
    faults: {
      own: 'Nobody decides on what they asked for.',
      decided: 'Somebody has decided already.',
      expired: 'The time for it is over: ask again.',
      maker: 'Whoever asked may not do this any more.',
      subject: 'Nobody decides on their own membership.',
      many_waiting: 'Many approvals are waiting: decide on those first.',
      approvers: 'With a threshold, a team keeps two people who may approve. Appoint another one first.',
      payee: 'The recipient has changed since: ask again.',
      account: 'Where its money goes has changed since: ask again.',
      role: 'The role of this person has changed since: ask again.',
      invitation: 'This address was invited to another role since: ask again.',
      threshold: 'The threshold has changed since: ask again.',
      key: 'The key has changed since: ask again.',
      not_own: 'Only whoever asked may do this.',
    },
    done: {
      approve: 'You approved it.',
      reject: 'You rejected it. Nothing has happened.',
      withdraw: 'You withdrew it. Nothing has happened.',
    },
  },
  fr: {
    title: 'Validations',
    note: 'Les opérations qu’une deuxième personne doit valider avant leur exécution.',
    waiting: 'En attente',
    ended: 'Terminées',
    noneTitle: 'Aucune validation en attente',
    noneText:
      'Les remboursements, virements et litiges au-dessus de vos seuils, les sous-comptes, les clés, les utilisateurs et les seuils apparaissent ici.',
    off: 'Aucun seuil n’est défini : aucune opération n’exige la validation d’une deuxième personne.',
    thresholds: 'Seuils',
    what: 'Opération',
    amount: 'Montant',
    total: 'Débit du solde, frais compris',
    askedBy: 'Demandée par',
    askedAt: 'Demandée le (UTC)',
    until: 'Jusqu’au (UTC)',
    state: 'État',
    you: 'Vous',
    former: 'une personne qui a quitté l’équipe',
    back: 'Validations',
    decidedBy: 'Décision de',
    decidedAt: 'Décidée le (UTC)',
    doneAt: 'Terminée le (UTC)',
    result: 'Résultat',
    message: 'Cause de l’échec',
    details: 'Ce qui sera exécuté après validation',
    approve: 'Valider',
    reject: 'Refuser',
    withdraw: 'Retirer la demande',
    run: 'Exécuter de nouveau',
    make: 'Créer la clé et l’afficher',
    approveNote: 'L’opération est exécutée en votre nom dès que vous validez.',
    ownNote: 'Cette demande est la vôtre : une autre personne décide.',
    roleNote: 'Votre rôle ne permet pas de décider ici.',
    makeNote: 'La clé est affichée une seule fois, à vous seul.',
    runNote: 'Le résultat n’est pas connu. Une nouvelle exécution est sans risque : l’opération n’a lieu qu’une fois.',
    payeeNote: 'Bénéficiaire au moment de la demande',
    payeeChanged: 'Le bénéficiaire a été modifié depuis : une validation échouera.',
    accountNote: 'Destination des fonds au moment de la demande',
    accountChanged: 'La destination des fonds a été modifiée depuis : une validation échouera.',
    unreadable: 'Aucune clé de cette installation ne déchiffre cette demande : elle ne peut être validée et prendra fin.',
    roleChanged: 'Le rôle de cette personne a été modifié depuis : une validation échouera.',
    invitationChanged: 'Cette adresse a été invitée depuis avec un autre rôle : une validation échouera.',
    thresholdChanged: 'Le seuil a été modifié depuis : une validation échouera.',
    keyChanged: 'La clé a été modifiée depuis : une validation échouera.',
    never: 'sans fin',
    anyAddress: 'toutes les adresses',
    forYou: 'Attend votre décision',
    unmade: 'Exécutée, puis échouée',
    unmadeText: 'La demande a été validée et exécutée, mais l’opération a ensuite échoué : consultez le résultat.',
    operations: {
      'POST /refunds': 'Remboursement',
      'POST /transfers': 'Virement',
      'POST /disputes/:id/accept': 'Acceptation d’un litige',
      'POST /accounts': 'Nouveau sous-compte',
      'PATCH /accounts/:id': 'Modification d’un sous-compte',
      'key.create': 'Nouvelle clé d’API',
      'key.roll': 'Renouvellement d’une clé d’API',
      'key.activate': 'Activation d’une clé d’API',
      'person.role': 'Changement de rôle',
      'person.remove': 'Retrait d’un utilisateur',
      'person.invite': 'Invitation',
      'person.resend': 'Renouvellement d’une invitation',
      'threshold.set': 'Nouveau seuil',
      'threshold.remove': 'Suppression d’un seuil',
    },
    states: {
      open: 'À décider',
      expired: 'Expirée',
      approved: 'Validée',
      lapsed: 'Non aboutie',
      done: 'Exécutée',
      failed: 'Échouée',
      rejected: 'Refusée',
      withdrawn: 'Retirée',
    },
    stateTexts: {
      open: 'Rien n’a encore été exécuté.',
      expired: 'Personne n’a décidé à temps. Rien n’a été exécuté.',
      approved: 'La demande est validée, mais n’a pas encore abouti.',
      lapsed:
        'La demande a été validée, mais n’a pas abouti à temps. Vérifiez si l’opération a eu lieu avant de la demander de nouveau.',
      done: 'La demande est validée et exécutée.',
      failed: 'La demande a été validée, mais l’opération a échoué. Rien n’a été exécuté.',
      rejected: 'La demande a été refusée. Rien n’a été exécuté.',
      withdrawn: 'La demande a été retirée. Rien n’a été exécuté.',
    },
    faults: {
      own: 'Personne ne décide de sa propre demande.',
      decided: 'Une décision a déjà été prise.',
      expired: 'Le délai est dépassé : refaites la demande.',
      maker: 'L’auteur de la demande n’en a plus le droit.',
      subject: 'Personne ne décide de sa propre appartenance à l’équipe.',
      many_waiting: 'De nombreuses validations sont en attente : traitez-les d’abord.',
      approvers: 'Avec un seuil, une équipe doit garder deux personnes habilitées à valider. Nommez-en d’abord une autre.',
      payee: 'Le bénéficiaire a été modifié depuis : refaites la demande.',
      account: 'La destination des fonds a été modifiée depuis : refaites la demande.',
      role: 'Le rôle de cette personne a été modifié depuis : refaites la demande.',
      invitation: 'Cette adresse a été invitée depuis avec un autre rôle : refaites la demande.',
      threshold: 'Le seuil a été modifié depuis : refaites la demande.',
      key: 'La clé a été modifiée depuis : refaites la demande.',
      not_own: 'Seul l’auteur de la demande peut le faire.',
    },
    done: {
      approve: 'Vous avez validé la demande.',
      reject: 'Vous avez refusé la demande. Rien n’a été exécuté.',
      withdraw: 'Vous avez retiré la demande. Rien n’a été exécuté.',
    },
  },
};
