import type { ConsoleDeps } from '../../deps.ts';
import { type ConsolePage, teamPage } from '../../page.ts';
import { saveBranding, showBranding, showSample, tryBranding } from './branding.ts';
import { saveLanguages, showLanguages } from './languages.ts';
import { saveSettings, showSettings } from './show.ts';
import { removeOne, saveThreshold, showThresholds } from './thresholds.ts';

/** The settings of a team. */
export function settingPages(deps: ConsoleDeps): ConsolePage[] {
  const branding = '/settings/branding';
  const languages = '/settings/languages';
  const approvals = '/settings/approvals';
  const read = { method: 'GET', permission: 'setting.read' } as const;
  const attempt = { method: 'POST', permission: 'setting.write' } as const;
  const write = { ...attempt, fresh: true } as const;
  return [
    teamPage({ ...read, path: '/settings', handle: (visit) => showSettings(visit) }),
    teamPage({ ...write, path: '/settings', handle: (visit) => saveSettings(deps, visit) }),
    teamPage({ ...read, path: branding, handle: (visit) => showBranding(visit) }),
    teamPage({ ...read, path: `${branding}/preview`, handle: async (visit) => showSample(deps, visit) }),
    teamPage({ ...attempt, path: `${branding}/try`, handle: tryBranding }),
    teamPage({ ...write, path: branding, handle: (visit) => saveBranding(deps, visit) }),
    teamPage({ ...read, path: languages, handle: (visit) => showLanguages(visit) }),
    teamPage({ ...write, path: languages, handle: (visit) => saveLanguages(deps, visit) }),
    teamPage({ ...read, path: approvals, handle: (visit) => showThresholds(visit) }),
    teamPage({ ...write, path: approvals, handle: saveThreshold }),
    teamPage({ ...write, path: `${approvals}/remove`, handle: removeOne }),
  ];
}
