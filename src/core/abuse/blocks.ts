import type { Actor } from '../../tenants/audit/actor.ts';
import { record } from '../../tenants/audit/record.ts';
import { Problem } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Db } from '../../kit/sql.ts';
import { type BlockRow, countOtherAddresses, deleteBlock, upsertBlock } from './store.ts';

/** Maximum address blocks of a team that have not expired. Networks cannot be looked up by equality, so each charge reads all of the team's. */
const MAX_ADDRESSES = 1_000;

/**
 * Adds a block in live. A value that is already blocked keeps its block's id.
 * @throws Problem 422 when the team blocks too many networks
 */
export function addBlock(db: Db, wanted: Omit<BlockRow, 'id' | 'created_at'>, by: Actor, at: number): Promise<BlockRow> {
  return db.transaction(async (tx) => {
    const { team_id, kind, value } = wanted;
    if (kind === 'address' && (await countOtherAddresses(tx, team_id, value, new Date(at))) >= MAX_ADDRESSES) {
      throw new Problem(422, `The team blocks ${MAX_ADDRESSES} addresses and ranges: remove some, or block a wider range.`);
    }
    const block = await upsertBlock(tx, { ...wanted, id: newId('blk', 'live', at), created_at: new Date(at) });
    await record(tx, by, { team_id, action: 'block.create', resource_id: block.id, at });
    return block;
  });
}

/**
 * Removes a block.
 * @returns undefined when the team has no such block
 */
export function removeBlock(db: Db, team_id: bigint, id: string, by: Actor, at: number): Promise<BlockRow | undefined> {
  return db.transaction(async (tx) => {
    const block = await deleteBlock(tx, team_id, id);
    if (block) await record(tx, by, { team_id, action: 'block.delete', resource_id: id, at });
    return block;
  });
}
