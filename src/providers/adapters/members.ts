/** Requires a value for every member, so that the compiler reports a new member that a wrapper does not handle. */
type Members<T> = { [Name in keyof Required<T>]: T[Name] | undefined };

/** Returns an object with these members. Absent capabilities stay absent. */
export function present<T>(members: Members<T>): T {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as T;
}
