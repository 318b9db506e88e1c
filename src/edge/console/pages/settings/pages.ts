import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { saveSettings, showSettings } from './show.ts';

/** The settings of a team. */
export function settingPages(deps: ConsoleDeps): ConsolePage[] {
  return [
    teamPage({ method: 'GET', path: '/settings', permission: 'setting.read', handle: async (visit) => showSettings(visit) }),
    teamPage({
      ...{ method: 'POST', path: '/settings', permission: 'setting.write', fresh: true },
      handle: (visit) => saveSettings(deps, visit),
    }),
  ];
}
