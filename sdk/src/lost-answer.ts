import { ApiError } from './errors.ts';

/** A deleted resource: its id, and the whole record when the service returned it. */
export interface Deleted {
  id: string;
}

/**
 * Runs a call that has no idempotency key, or whose key is consumed only by a success. When an earlier attempt ended without
 * a result and the last one was rejected, the earlier one may have been carried out and caused the rejection. The state of
 * the resource decides.
 * @param read returns the result when the resource shows that the call was carried out, else null
 * @throws what `read` throws, or the rejection when the call was not carried out
 */
export async function carriedOut<T>(call: () => Promise<T>, read: (rejection: ApiError) => Promise<T | null>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.uncertain || error.status >= 500) throw error;
    const result = await read(error);
    if (result === null) throw error;
    return result;
  }
}

/** Runs a deletion. When an earlier attempt may have been carried out, "not found" means that it was. */
export function deleted<T extends Deleted>(id: string, call: () => Promise<T>): Promise<Deleted> {
  return carriedOut<Deleted>(call, async ({ status }) => (status === 404 ? { id } : null));
}
