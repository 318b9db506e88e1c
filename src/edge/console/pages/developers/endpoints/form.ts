import { type Html, html, raw } from '../../../../../kit/html.ts';
import { EVENT_TYPES } from '../../../../../money/events/catalogue.ts';
import { TEST_EVENT } from '../../../../../money/webhooks/service.ts';
import { versions } from '../../../../../tenants/versions/registry.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { checkbox, choices, chosenOf } from '../../../parts/choices.ts';
import { type Fault, faultOf } from '../../../parts/fault.ts';
import { alert, field, pageHead, select } from '../../../parts/parts.ts';
import { seenField } from '../../../parts/seen.ts';
import { saveOnce } from '../../../save-once.ts';
import { backTo, type Endpoint, endpointOf } from './read.ts';
import { secretPage } from './secret.ts';
import { ENDPOINT_TEXTS } from './texts.ts';

type Asked = Pick<Endpoint, 'url' | 'events' | 'description' | 'active' | 'api_version'>;

/** The types that an endpoint can subscribe to, by resource. */
const FAMILIES = Map.groupBy(
  EVENT_TYPES.filter((type) => type !== TEST_EVENT),
  (type) => type.replace(/\..*/, ''),
);

/** Shows the form of a new endpoint. */
export async function showCreate(visit: TeamVisit, asked?: Asked, fault?: Fault): Promise<Answer> {
  const { base, language, team } = visit;
  const texts = ENDPOINT_TEXTS[language];
  const first = { url: '', events: ['*'], description: null, active: true, api_version: team.api_version };
  const path = `${base}/developers/endpoints`;
  return page(
    texts.add,
    fault,
    html`${backTo(visit)}${pageHead(texts.add)}<section class="card narrow">${failed(fault)}
<form method="post" action="${path}?from=${encodeURIComponent(`${path}/new`)}">${visit.formFields()}${fields(visit, asked ?? first, fault)}
<p class="help">${texts.secretNote}</p>
<div class="form-actions"><button>${texts.add}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  );
}

/** Adds an endpoint and shows its secret. A form that is submitted again adds no second one and does not show the secret again. */
export async function createEndpoint(visit: TeamVisit): Promise<Answer> {
  const asked = askedOf(visit);
  try {
    const { body } = await visit.api('POST /webhooks', { body: asked, idempotency_key: visit.formKey });
    const { webhook } = body as { webhook: Endpoint & { secret?: string } };
    if (webhook.secret === undefined) return redirect(`${visit.base}/developers/endpoints/${webhook.id}?done=again`);
    return secretPage(visit, webhook, webhook.secret);
  } catch (error) {
    return showCreate(visit, asked, faultOf(visit, error));
  }
}

/** Shows the form of a change. */
export async function showEdit(visit: TeamVisit, asked?: Asked, fault?: Fault): Promise<Answer> {
  const texts = ENDPOINT_TEXTS[visit.language];
  const endpoint = await endpointOf(visit);
  const path = `${visit.base}/developers/endpoints/${endpoint.id}`;
  const active = checkbox({ name: 'active', value: 'yes', label: texts.activeLabel, checked: (asked ?? endpoint).active });
  return page(
    texts.edit,
    fault,
    html`${backTo(visit, endpoint)}${pageHead(texts.edit)}<section class="card narrow">${failed(fault)}
<form method="post" action="${path}/edit">${visit.formFields()}${seenField(visit, storedOf(endpoint), fault)}${fields(visit, asked ?? endpoint, fault)}
<div class="field">${active}<p class="help">${texts.activeHelp}</p></div>
<div class="form-actions"><button>${texts.save}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  );
}

/** Changes an endpoint. */
export async function editEndpoint(visit: TeamVisit): Promise<Answer> {
  const asked = { ...askedOf(visit), active: fieldOf(visit, 'active') === 'yes' };
  const { id = '' } = visit.params;
  try {
    const edit = { id, typed: asked, body: asked, storedOf: (endpoint: object) => storedOf(endpoint as Endpoint) };
    await saveOnce(visit, 'PATCH /webhooks/:id', edit);
  } catch (error) {
    return showEdit(visit, asked, faultOf(visit, error));
  }
  return redirect(`${visit.base}/developers/endpoints/${id}?done=edit`);
}

function page(title: string, fault: Fault | undefined, body: Html): Answer {
  return { kind: 'page', title, nav: '/developers', ...(fault ? { status: fault.status } : {}), body };
}

/** Notice of a rejection that belongs to no field. */
function failed(fault: Fault | undefined): Html | false {
  return fault !== undefined && Object.keys(fault.errors).length === 0 && alert(fault.message);
}

function storedOf({ url, events, description, active, api_version }: Endpoint): Asked {
  return { url, events, description, active, api_version };
}

function askedOf(visit: TeamVisit): Asked {
  const events = chosenOf(visit, 'events');
  return {
    url: fieldOf(visit, 'url'),
    events: events.includes('*') ? ['*'] : events,
    description: fieldOf(visit, 'description') || null,
    active: true,
    api_version: fieldOf(visit, 'api_version'),
  };
}

function fields({ language }: TeamVisit, { url, description, events, api_version }: Asked, fault?: Fault): Html {
  const texts = ENDPOINT_TEXTS[language];
  const error = (name: string) => Object.entries(fault?.errors ?? {}).find(([path]) => path.split('.')[0] === name)?.[1][0];
  const every = events.includes('*');
  const box = (value: string) =>
    checkbox({ name: 'events', value, label: html`<code>${value}</code>`, checked: events.includes(value) });
  return html`${field({ name: 'url', label: texts.address, value: url, error: error('url'), placeholder: 'https://shop.example/hooks/pirogue', required: true, maxlength: 2048, autocomplete: 'off', help: texts.addressHelp })}
${field({ name: 'description', label: texts.description, value: description ?? '', error: error('description'), maxlength: 255, autocomplete: 'off' })}
${choices(
  { name: 'events', legend: texts.events, error: error('events') },
  html`${checkbox({ name: 'events', value: '*', label: texts.everything, checked: every })}
<details class="types"${!every && raw(' open')}><summary>${texts.chooseTypes}</summary><div class="checks">${[...FAMILIES].map(
    ([family, types]) => html`<div>${box(`${family}.*`)}<div class="inner">${types.map(box)}</div></div>`,
  )}</div></details>`,
)}
${select(
  { name: 'api_version', label: texts.version, value: api_version, error: error('api_version'), help: texts.versionHelp },
  versions.all.map((version) => [version, version] as const),
)}`;
}
