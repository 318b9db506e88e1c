import { advanceClockOnce } from '../../../../sandbox-clock/service.ts';
import { actorOf } from '../../../actor.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { SANDBOX_TEXTS } from './texts.ts';
import { refuseLive, showSandbox } from './show.ts';
import { SPANS } from './spans.ts';

/** Advances the clock of the team's sandbox, once for each displayed form. */
export async function advance(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  refuseLive(visit);
  const span = fieldOf(visit, 'span');
  if (!isSpan(span)) return showSandbox(visit, { span: SANDBOX_TEXTS[visit.language].wrongSpan });
  const wanted = { team_id: visit.team.id, by_ms: SPANS[span], key: visit.formKey };
  await advanceClockOnce(deps, visit.store, wanted, actorOf(visit));
  deps.wake.ring('sandbox');
  return redirect(`${visit.base}/developers/sandbox?done=clock`);
}

function isSpan(text: string): text is keyof typeof SPANS {
  return Object.hasOwn(SPANS, text);
}
