import { type Html, html } from '../../../../../kit/html.ts';
import { RESOURCES, type Scope } from '../../../../../tenants/keys/scopes.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import { choices, radio } from '../../../parts/choices.ts';
import { ownFaults } from '../../../messages/own.ts';
import { type Fault, faultOf, shownFault } from '../../../parts/fault.ts';
import { alert, type Column, field, pageHead, table } from '../../../parts/parts.ts';
import { readKey, type TypedKey, typedKey } from './parse.ts';
import { changeKey, checkRights, heldKey, makeKeyIn, mayMake } from './service.ts';
import { KEY_TEXTS } from './texts.ts';
import { backToKeys, madeBeforePage, madeByForm, madePage } from './views.ts';

const KINDS = ['restricted', 'secret', 'public'] as const;
const EMPTY: TypedKey = { kind: 'restricted', scopes: [], addresses: '', expires: '' };

/** Shows the form of a new key, limited to the permissions of the person's role. */
export function showCreate(visit: TeamVisit, typed: TypedKey = EMPTY, fault?: Fault): Answer {
  const { base, language } = visit;
  const texts = KEY_TEXTS[language];
  const errors = fault?.errors ?? {};
  const path = `${base}/developers/keys`;
  const failed = fault !== undefined && Object.keys(errors).length === 0 && alert(fault.message);
  return {
    kind: 'page',
    title: texts.create,
    nav: '/developers',
    ...(fault ? { status: fault.status } : {}),
    body: html`${backToKeys(visit)}${pageHead(texts.create)}<section class="card narrow">${failed}
<form method="post" action="${path}?from=${encodeURIComponent(`${path}/new`)}">${visit.formFields()}
${kinds(visit, typed, errors)}${scopes(visit, typed, errors)}
${field({ name: 'addresses', label: texts.addresses, value: typed.addresses, error: errors.addresses?.[0], help: texts.addressesHelp, autocomplete: 'off', maxlength: 4000 })}
${field({ name: 'expires', label: texts.lastDay, type: 'date', value: typed.expires, error: errors.expires?.[0], help: texts.lastDayHelp })}
<p class="help">${texts.createNote}</p>
<div class="form-actions"><button>${texts.create}</button><a class="button quiet-button" href="${path}">${texts.cancel}</a></div></form></section>`,
  };
}

/** Makes the key and shows it, only once. */
export async function createKey(visit: TeamVisit): Promise<Answer> {
  const typed = typedKey(visit);
  const read = readKey(visit, typed);
  if ('errors' in read) return showCreate(visit, typed, shownFault(visit.language, ownFaults(read.errors)));
  try {
    const { wanted } = read;
    checkRights(visit, wanted.kind, wanted.scopes);
    const done = await changeKey(visit, heldKey('key.create', { ...wanted }), wanted, {
      change: (tx) => makeKeyIn(tx, visit, wanted),
      madeBefore: () => madeByForm(visit),
    });
    if ('answer' in done) return done.answer;
    return done.made ? madePage(visit, done.made) : madeBeforePage(visit);
  } catch (error) {
    return showCreate(visit, typed, faultOf(visit, error));
  }
}

function kinds(visit: TeamVisit, { kind }: TypedKey, errors: Fault['errors']): Html {
  const texts = KEY_TEXTS[visit.language];
  const offered = KINDS.filter((one) => one === 'restricted' || mayMake(visit, one, []));
  const boxes = offered.map((one) =>
    radio({
      ...{ name: 'kind', value: one, checked: kind === one },
      label: html`<strong>${texts.kinds[one]}</strong><br><span class="note">${texts.kindHelp[one]}</span>`,
    }),
  );
  const help = offered.length < KINDS.length && texts.roleHelp;
  return choices({ name: 'kind', legend: texts.kind, error: errors.kind?.[0], help }, boxes);
}

/** The table of scopes. Those that the role lacks are left out. */
function scopes(visit: TeamVisit, typed: TypedKey, errors: Fault['errors']): Html {
  const texts = KEY_TEXTS[visit.language];
  const box = (scope: Scope, name: string) =>
    visit.can(scope)
      ? html`<input type="checkbox" name="scopes" value="${scope}" aria-label="${name}, ${scope}"${typed.scopes.includes(scope) && html` checked`}>`
      : '—';
  const columns: Column<(typeof RESOURCES)[number]>[] = [
    { head: texts.resource, kind: 'main', cell: (name) => html`<code>${name}</code>` },
    { head: texts.read, cell: (name) => box(`${name}.read`, texts.read) },
    { head: texts.write, cell: (name) => box(`${name}.write`, texts.write) },
  ];
  const given = { name: 'scopes', legend: texts.scopes, help: texts.scopesHelp, error: errors.scopes?.[0] };
  return choices(given, html`<div class="scopes">${table(texts.scopes, columns, RESOURCES)}</div>`);
}
