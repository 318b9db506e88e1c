import { type Html, html } from '../../../kit/html.ts';
import type { Channel } from '../../../providers/reference/channels.ts';
import { hidden } from '../../pages/parts.ts';
import { countryName } from '../../pages/scene.ts';
import { numbersOf } from '../guess-channel.ts';
import type { MethodOption } from '../method-options.ts';
import type { FormScene } from './form.ts';
import { operatorMark } from './operator-mark.ts';

interface Groups {
  /** The operators shown at once: those of the payer's country, as far as it is known. */
  first: readonly Channel[];
  /** The other countries. */
  others: (readonly [country: string, operators: readonly Channel[]])[];
}

function groupsOf({ typed }: FormScene, { channels, home }: MethodOption): Groups {
  const groups = Map.groupBy(channels, ({ country }) => country);
  const known = channels.find(({ id }) => id === typed.channel)?.country ?? home;
  const country = groups.size === 1 ? channels[0]?.country : known;
  return { first: groups.get(country ?? '') ?? [], others: [...groups].filter(([code]) => code !== country) };
}

/**
 * Tiles of the operators, as radio buttons. None has to be chosen, because the operator follows from the number in most cases. The
 * operators of the country of the payer's number are shown. A single operator is a hidden field.
 */
export function operatorField(scene: FormScene, means: MethodOption): Html {
  const { texts, fieldErrors } = scene;
  const [only, another] = means.channels;
  if (only && !another) return hidden('channel', only.id);
  const { first, others } = groupsOf(scene, means);
  const error = fieldErrors.channel;
  return html`<fieldset${error && html` aria-describedby="operator-error"`}><legend>${texts.operator} <span class="soft">${texts.fromNumber}</span></legend>
${error && html`<p class="error" id="operator-error">${error}</p>`}${
  first.length > 0 ? tiles(scene, first, true) : operatorsByCountry(scene, texts.chooseOperator, others, error !== undefined)
}</fieldset>`;
}

/** The operators of other countries, where those of the payer's country are shown. */
export function otherOperators(scene: FormScene, means: MethodOption): Html | false {
  const { first, others } = groupsOf(scene, means);
  return first.length > 0 && others.length > 0 && operatorsByCountry(scene, scene.texts.otherCountries, others, false);
}

function operatorsByCountry(scene: FormScene, label: string, groups: Groups['others'], open: boolean): Html {
  const named = groups.map(([country, own]) => html`<h3>${countryName(scene.language, country)}</h3>${tiles(scene, own, false)}`);
  return html`<details class="more"${open && html` open`}><summary>${label}</summary>${named}</details>`;
}

/** @param marked with the marks of the operators, which would cost too many bytes for a whole currency area */
function tiles({ typed }: FormScene, own: readonly Channel[], marked: boolean): Html {
  return html`<div class="ops" data-n="${own[0] && numbersOf(own[0])}">${own.map((channel) => tile(channel, channel.id === typed.channel, marked))}</div>`;
}

/** A tile has the prefixes by which the page's script detects the operator; its group has the format of the numbers. */
function tile(channel: Channel, checked: boolean, marked: boolean): Html {
  const { id, name, prefixes } = channel;
  const numbers = prefixes.length > 0 && html` data-p="${prefixes.join(' ')}"`;
  return html`<label><input type="radio" name="channel" value="${id}"${numbers}${checked && html` checked`}>${marked && operatorMark(channel)}<span>${name}</span></label>`;
}
