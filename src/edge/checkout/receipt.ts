import { holderOf } from '../../core/charge/hosted.ts';
import { hasReceipt, type Receipt } from '../receipts/receipt.ts';
import { readReceipt } from '../receipts/service.ts';
import { type Answer, type CheckoutContext, type Opened, openVisit, pathOf, type Shown, type Visit } from './context.ts';
import { notice, page, sceneOf } from './show.ts';
import { receiptPage } from './views/receipt.ts';
import type { Scene } from '../pages/scene.ts';

/** GET /pay/:token/receipt. Redirects to the payment's page when the payment has no receipt. */
export async function showReceipt(context: CheckoutContext, visit: Visit): Promise<Shown> {
  const opened = await openVisit(context, visit);
  if (!opened) return notice(visit, 404, 'unknown');
  const [scene, receipt] = await receiptIn(context, opened);
  return receipt ? page(200, receiptPage(scene, receipt), scene) : { kind: 'redirect', to: scene.path };
}

/** GET /pay/:token/receipt.pdf. Answers 429 when too many PDFs were requested in a minute, of this payment or of all. */
export async function sendReceipt(context: CheckoutContext, visit: Visit): Promise<Answer> {
  const opened = await openVisit(context, visit);
  if (!opened) return notice(visit, 404, 'unknown');
  const path = pathOf(context, visit.token);
  if (!hasReceipt(opened.hosted.payment.status)) return { kind: 'redirect', to: path };
  const wait_s = context.prints.take(visit.token);
  if (wait_s > 0) return later(opened.visit, path, wait_s);
  const [, receipt] = await receiptIn(context, opened);
  const bytes = receipt && (await context.printer.print(receipt));
  return bytes ? { kind: 'pdf', name: `receipt-${opened.hosted.payment.id}.pdf`, bytes } : later(opened.visit, path, 5);
}

/** Reads the receipt. It shows the payer's details only to the browser that paid, as the other pages do. */
async function receiptIn(context: CheckoutContext, { visit, hosted }: Opened): Promise<[Scene, Receipt | null]> {
  const scene = await sceneOf(context, visit, hosted);
  const { merchant, theme } = scene;
  const own = holderOf(hosted.payment, visit.browser) === 'this';
  return [scene, await readReceipt(hosted, { merchant, brand: theme.brand, own }, visit.language)];
}

function later(visit: Visit, path: string, wait_s: number): Shown {
  const headers = { 'Retry-After': String(wait_s) };
  const answer = notice(visit, 429, 'later', `${path}/receipt`);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
