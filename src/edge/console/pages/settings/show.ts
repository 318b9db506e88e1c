import { ownFaults } from '../../messages/own.ts';
import { emailAddressOf } from '../../../../kit/email.ts';
import type { FieldErrors } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { CURRENCIES, isCurrency } from '../../../../kit/money.ts';
import { PUBLIC_KEYS, type PublicKeys } from '../../../../tenants/teams/schema.ts';
import { postalAddressOf, taxIdOf, teamNameOf } from '../../../../tenants/teams/service.ts';
import { changeSettings, type TeamRow, type TeamSettings } from '../../../../tenants/teams/store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, fieldOf, type TeamVisit } from '../../page.ts';
import { checkbox, choices, radio } from '../../parts/choices.ts';
import { type Fault, faultOf, unplaced } from '../../parts/fault.ts';
import { alert, card, facts, field, idText, pageHead, select, textarea } from '../../parts/parts.ts';
import { saveTeam, teamSeenField } from './save.ts';
import { settingTabs } from './tabs.ts';
import { SETTING_TEXTS } from './texts.ts';

/** Input of the form; before a submit, the team's own values. */
type Typed = Record<'name' | 'email' | 'default_currency' | 'public_keys' | 'address' | 'tax_id', string> & {
  unique_references: boolean;
  hosted_retry: boolean;
};

/** Shows the settings; as a form to people who may change them. */
export async function showSettings(visit: TeamVisit, typed: Typed = typedOf(visit), fault?: Fault): Promise<Answer> {
  const { language, query, team } = visit;
  const texts = SETTING_TEXTS[language];
  const set = facts([
    [texts.plan, team.plan],
    [texts.level, String(team.verification_level)],
    [texts.version, team.api_version],
    [texts.id, idText(String(team.id))],
  ]);
  return {
    kind: 'page',
    title: texts.title,
    nav: '/settings',
    ...(fault ? { status: fault.status } : {}),
    body: html`${pageHead(texts.title, { note: texts.note })}${settingTabs(visit, '')}<div class="narrow">${!fault && query.done === 'save' && alert(texts.saved, 'good')}${alert(unplaced(fault, Object.keys(typed)))}${
      visit.can('setting.write') ? await form(visit, typed, fault) : values(visit)
    }${card(texts.operator, set)}</div>`,
  };
}

function typedOf({ team }: { team: TeamRow }): Typed {
  const { name, email, default_currency, public_keys, unique_references, hosted_retry, address, tax_id } = team;
  const own = { name, email, default_currency, public_keys, unique_references, hosted_retry };
  return { ...own, address: address ?? '', tax_id: tax_id ?? '' };
}

/** Saves the settings. */
export async function saveSettings(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  const typed: Typed = {
    name: fieldOf(visit, 'name'),
    email: fieldOf(visit, 'email'),
    default_currency: fieldOf(visit, 'default_currency'),
    public_keys: fieldOf(visit, 'public_keys'),
    address: fieldOf(visit, 'address'),
    tax_id: fieldOf(visit, 'tax_id'),
    unique_references: fieldOf(visit, 'unique_references') === 'yes',
    hosted_retry: fieldOf(visit, 'hosted_retry') === 'yes',
  };
  let wanted: TeamSettings;
  try {
    wanted = readSettings(visit, typed);
  } catch (error) {
    return showSettings(visit, typed, faultOf(visit, error));
  }
  return saveTeam(deps, visit, {
    ...{ path: '/settings', typed, storedIn: typedOf, wanted },
    write: (tx) => changeSettings(tx, visit.team.id, wanted),
    show: (now, fault) => showSettings(now, typed, fault),
  });
}

/** Returns the settings of the input. @throws Problem 422 for invalid input */
function readSettings({ language }: TeamVisit, typed: Typed): TeamSettings {
  const texts = SETTING_TEXTS[language].faults;
  const name = teamNameOf(typed.name);
  const email = emailAddressOf(typed.email);
  const address = postalAddressOf(typed.address);
  const tax_id = taxIdOf(typed.tax_id);
  const { default_currency, public_keys, unique_references, hosted_retry } = typed;
  const errors: FieldErrors = {
    ...(name === null ? { name: [texts.name] } : {}),
    ...(email === null ? { email: [texts.email] } : {}),
    ...(address === null ? { address: [texts.address] } : {}),
    ...(tax_id === null ? { tax_id: [texts.taxId] } : {}),
    ...(isCurrency(default_currency) ? {} : { default_currency: [texts.currency] }),
    ...(isPublicKeys(public_keys) ? {} : { public_keys: [texts.publicKeys] }),
  };
  if (name === null || email === null || !isPublicKeys(public_keys) || Object.keys(errors).length > 0) throw ownFaults(errors);
  const seller = { address: address || null, tax_id: tax_id || null };
  return { name, email, default_currency, public_keys, unique_references, hosted_retry, ...seller };
}

function isPublicKeys(text: string): text is PublicKeys {
  return PUBLIC_KEYS.some((one) => one === text);
}

async function form(visit: TeamVisit, typed: Typed, fault?: Fault): Promise<Html> {
  const errors = fault?.errors ?? {};
  const { base, language } = visit;
  const texts = SETTING_TEXTS[language];
  const path = `${base}/settings`;
  const text = (name: 'name' | 'email') => ({
    name,
    value: typed[name],
    error: errors[name]?.[0],
    required: true,
    autocomplete: 'off',
  });
  const seller = (name: 'address' | 'tax_id') => ({ name, value: typed[name], error: errors[name]?.[0] });
  const currency = { name: 'default_currency', value: typed.default_currency, error: errors.default_currency?.[0] };
  return html`<form method="post" action="${path}?from=${encodeURIComponent(path)}">${visit.formFields()}${await teamSeenField(visit, typedOf(visit), fault)}${card(
    texts.team,
    html`${field({ ...text('name'), label: texts.name, help: texts.nameHelp, maxlength: 200 })}
${field({ ...text('email'), label: texts.email, help: texts.emailHelp, type: 'email', maxlength: 254 })}
${select(
  { ...currency, label: texts.currency, help: texts.currencyHelp },
  CURRENCIES.map((code) => [code, code] as const),
)}`,
  )}${card(
    texts.seller,
    html`${textarea({ ...seller('address'), label: texts.address, help: texts.addressHelp, maxlength: 600 })}
${field({ ...seller('tax_id'), label: texts.taxId, help: texts.taxIdHelp, maxlength: 64, autocomplete: 'off' })}`,
  )}${card(
    texts.payments,
    html`${choices(
      { name: 'unique_references', legend: texts.references, help: texts.referencesHelp },
      checkbox({ name: 'unique_references', value: 'yes', label: texts.referencesLabel, checked: typed.unique_references }),
    )}
${choices(
  { name: 'hosted_retry', legend: texts.retry, help: texts.retryHelp },
  checkbox({ name: 'hosted_retry', value: 'yes', label: texts.retryLabel, checked: typed.hosted_retry }),
)}
${choices(
  { name: 'public_keys', legend: texts.publicKeys, help: texts.publicKeysHelp, error: errors.public_keys?.[0] },
  PUBLIC_KEYS.map((use) =>
    radio({ name: 'public_keys', value: use, label: texts.uses[use], checked: typed.public_keys === use }),
  ),
)}
<div class="form-actions"><button>${texts.save}</button></div>`,
  )}</form>`;
}

function values({ language, team }: TeamVisit): Html {
  const texts = SETTING_TEXTS[language];
  return card(
    texts.team,
    facts([
      [texts.name, team.name],
      [texts.email, team.email],
      [texts.currency, team.default_currency],
      [texts.address, team.address && html`<span class="pre">${team.address}</span>`],
      [texts.taxId, team.tax_id],
      [texts.references, team.unique_references ? texts.yes : texts.no],
      [texts.retry, team.hosted_retry ? texts.on : texts.off],
      [texts.publicKeys, texts.uses[team.public_keys]],
    ]),
  );
}
