import type { Permission } from '../../../tenants/people/roles.ts';
import { deleteView, saveView } from '../../../tenants/people/view-store.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type Answer, type ConsolePage, fieldOf, redirect, type TeamVisit, teamPage } from '../page.ts';
import { keptQuery, placeOf, type ViewedList, type ViewFault } from './chips.ts';
import { VIEW_TEXTS } from './texts.ts';

const MAX_NAME = 40;
/** Maximum length of the filters. The values that a person chooses take a fraction of it. */
const MAX_QUERY = 1_000;

/** A list whose filters can be saved, with the function that shows it. */
interface Shown extends ViewedList {
  /** Permission to see the list, which includes saving its filters. */
  permission: Permission;
  liveOnly?: boolean;
  /** Shows the list again, with the reason why a view was not saved. */
  show(visit: TeamVisit, fault: ViewFault): Promise<Answer>;
}

/** The actions that save and delete views of a list. */
export function viewActions(deps: ConsoleDeps, list: Shown): ConsolePage[] {
  const { path, permission, liveOnly = false } = list;
  const common = { method: 'POST', permission, liveOnly } as const;
  return [
    teamPage({ ...common, path: `${path}/views`, handle: (visit) => save(deps, visit, list) }),
    teamPage({ ...common, path: `${path}/views/delete`, handle: (visit) => remove(deps, visit, list) }),
  ];
}

async function save({ stores }: ConsoleDeps, visit: TeamVisit, list: Shown): Promise<Answer> {
  const { faults } = VIEW_TEXTS[visit.language];
  const name = fieldOf(visit, 'name');
  const query = keptQuery(visit, list);
  const fits = name !== '' && name.length <= MAX_NAME && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
  if (!fits) return list.show(visit, { name, message: faults.name });
  if (query === '' || query.length > MAX_QUERY) return list.show(visit, { name, message: faults.filters });
  const saved = await stores.control.transaction((tx) => saveView(tx, placeOf(visit, list), { name, query }));
  return saved ? toList(visit, list) : list.show(visit, { name, message: faults.full });
}

async function remove({ stores }: ConsoleDeps, visit: TeamVisit, list: Shown): Promise<Answer> {
  await deleteView(stores.control, placeOf(visit, list), fieldOf(visit, 'name'));
  return toList(visit, list);
}

/** Redirects to the list with its filters. */
function toList(visit: TeamVisit, list: ViewedList): Answer {
  const query = keptQuery(visit, list);
  return redirect(`${visit.base}${list.path}${query && `?${query}`}`);
}
