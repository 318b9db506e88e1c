import { parentPort } from 'node:worker_threads';
import { must } from '../../kit/errors.ts';
import { printReceipt } from './pdf.ts';
import type { Receipt } from './receipt.ts';

/** A print job and its result, which is the error when the receipt cannot be printed. */
export type Order = { id: number; receipt: Receipt };
export type Done = { id: number; bytes: Uint8Array } | { id: number; error: string };

const port = must(parentPort, 'only the printer starts this');

port.on('message', async ({ id, receipt }: Order) => {
  port.postMessage(await printed(id, receipt));
});

async function printed(id: number, receipt: Receipt): Promise<Done> {
  try {
    return { id, bytes: await printReceipt(receipt) };
  } catch (error) {
    return { id, error: String(error) };
  }
}
