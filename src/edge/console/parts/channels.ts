import { CHANNELS, type Channel, channelById } from '../../../providers/reference/channels.ts';
import type { ConsoleLanguage, Texts } from '../language.ts';

/** Names of channels that are no brands. */
const NAMES: Texts<Record<'bank' | 'ussd' | 'card', string>> = {
  en: { bank: 'Bank transfer', ussd: 'Bank USSD', card: 'Card' },
  fr: { bank: 'Virement bancaire', ussd: 'USSD bancaire', card: 'Carte bancaire' },
};

/** Returns the name of a channel: the operator's, or what it is. @returns the id of an unknown channel */
export function channelName(id: string, language: ConsoleLanguage): string {
  const channel = channelById(id);
  return channel ? nameOf(channel, language) : id;
}

/** Returns the name with the country, because operators have the same name in several countries: `MTN Mobile Money (CM)`. */
export function channelInCountry(id: string, language: ConsoleLanguage): string {
  const channel = channelById(id);
  return channel ? `${nameOf(channel, language)} (${channel.country})` : id;
}

/** Returns the ids of the channels on which money is paid out. A card receives no payouts. */
export const PAYOUT_CHANNELS: readonly string[] = CHANNELS.filter(({ kind }) => kind !== 'card').map(({ id }) => id);

/** Returns the channels on which money is paid out, as choices. */
export function payoutChannels(language: ConsoleLanguage): [id: string, name: string][] {
  return PAYOUT_CHANNELS.map((id) => [id, `${channelName(id, language)} · ${id}`]);
}

function nameOf({ id, kind, name }: Channel, language: ConsoleLanguage): string {
  if (kind === 'mobile_money') return name;
  return NAMES[language][id.endsWith('.ussd') ? 'ussd' : kind];
}
