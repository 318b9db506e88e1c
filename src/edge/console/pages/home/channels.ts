import type { DayFigures } from '../../../../core/figures/schema.ts';
import type { Html } from '../../../../kit/html.ts';
import { html } from '../../../../kit/html.ts';
import type { ConsoleLanguage } from '../../language.ts';
import type { TeamVisit } from '../../page.ts';
import { channelInCountry } from '../../parts/channels.ts';
import { meter } from '../../parts/charts.ts';
import { money, number } from '../../parts/format.ts';
import { type Column, table } from '../../parts/parts.ts';
import { confirmOf, endedOf, successOf, sum } from './figures.ts';
import { duration, percent } from './format.ts';
import { HOME_TEXTS } from './texts.ts';

interface Row {
  channel: string;
  currency: string;
  days: readonly DayFigures[];
}

/** Table of channels with their payments, success rate and time to confirm, the most used first. */
export function channelTable({ language }: TeamVisit, days: readonly DayFigures[]): Html {
  const texts = HOME_TEXTS[language];
  const rows = [...Map.groupBy(days, ({ channel }) => channel)]
    .map(([channel, those]) => ({ channel, currency: those[0]?.currency ?? '', days: those, ended: endedOf(sum(those)) }))
    .sort((a, b) => b.ended - a.ended)
    .filter(({ ended }) => ended > 0);
  const none = texts.none;
  const columns: Column<Row>[] = [
    { head: texts.channel, kind: 'main', cell: ({ channel }) => nameOf(channel, language) },
    { head: texts.ended, kind: 'number', cell: ({ days }) => number(endedOf(sum(days)), language) },
    { head: texts.success, cell: ({ days }) => rate(successOf(days), language) },
    {
      head: texts.confirm,
      kind: 'number',
      cell: ({ days }) => {
        const ms = confirmOf(sum(days));
        return ms === null ? none : duration(ms, language);
      },
    },
    { head: texts.collected, kind: 'number', cell: ({ days, currency }) => money(sum(days).collected_minor, currency, language) },
  ];
  return table(texts.byChannel, columns, rows);
}

function rate(part: number | null, language: ConsoleLanguage): Html {
  if (part === null) return html`${HOME_TEXTS[language].none}`;
  return html`<span class="rate">${meter(part)}<span>${percent(part, language)}</span></span>`;
}

function nameOf(id: string, language: ConsoleLanguage): string {
  return id === '' ? HOME_TEXTS[language].noChannel : channelInCountry(id, language);
}
