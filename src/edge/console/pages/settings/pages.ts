import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { saveBranding, showBranding, showSample, tryBranding } from './branding.ts';
import { saveSettings, showSettings } from './show.ts';

/** The settings of a team. */
export function settingPages(deps: ConsoleDeps): ConsolePage[] {
  const branding = '/settings/branding';
  const read = { method: 'GET', permission: 'setting.read' } as const;
  const write = { method: 'POST', permission: 'setting.write' } as const;
  return [
    teamPage({ method: 'GET', path: '/settings', permission: 'setting.read', handle: async (visit) => showSettings(visit) }),
    teamPage({ ...read, path: branding, handle: async (visit) => showBranding(visit) }),
    teamPage({ ...read, path: `${branding}/preview`, handle: async (visit) => showSample(deps, visit) }),
    teamPage({ ...write, path: `${branding}/try`, handle: async (visit) => tryBranding(visit) }),
    teamPage({ ...write, path: branding, fresh: true, handle: (visit) => saveBranding(deps, visit) }),
    teamPage({
      ...{ method: 'POST', path: '/settings', permission: 'setting.write', fresh: true },
      handle: (visit) => saveSettings(deps, visit),
    }),
  ];
}
