// A shop with one product, with the SDK. Run it: npm run example -- shop (see ../README.md).
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
// In a project of your own: from 'pirogue-sdk'.
import { AuthenticationError, CallError, type Payment, Pirogue, WebhookVerificationError } from '../../sdk/src/index.ts';

const { PORT = '3000', PIROGUE_URL = 'http://127.0.0.1:8080', PIROGUE_KEY = '', PIROGUE_WEBHOOK_SECRET = '' } = process.env;
const { SHOP_URL = `http://127.0.0.1:${PORT}` } = process.env;
const PRODUCT = { name: 'Basket of mangoes', price: 12_500, currency: 'XAF' } as const;
const MAX_BODY = 256 * 1024;

interface Order {
  id: string;
  quantity: string;
  phone: string;
  total: number;
  /** Id of the payment, once it is made. */
  payment: string | null;
  /** Where it is paid. */
  payAt: string;
  paid: boolean;
}

const pirogue = new Pirogue(PIROGUE_KEY, { baseUrl: PIROGUE_URL });
/** A real shop keeps these two in its database. */
const orders = new Map<string, Order>();
const seenEvents = new Set<string>();

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    // A rejected call is one line; anything else is a defect of the shop and needs its stack.
    console.error(error instanceof CallError ? `${error.name}: ${error.message}` : error);
    if (error instanceof AuthenticationError)
      console.error(`${PIROGUE_URL} rejects PIROGUE_KEY: check it, and start the shop again.`);
    // Sending the form again is safe: the order, and with it the Idempotency-Key, stays the same.
    show(response, 502, '<p>Payment does not work at this moment. Please go back and try again.</p>');
  });
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Shop at ${SHOP_URL}`));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', SHOP_URL);
  const order = orders.get(pathname.replace('/orders/', ''));
  if (request.method === 'GET' && pathname === '/') return showProduct(response);
  if (request.method === 'POST' && pathname === '/orders') return takeOrder(request, response);
  if (request.method === 'GET' && order) return showOrder(order, response);
  if (request.method === 'POST' && pathname === '/webhooks') return receiveWebhook(request, response);
  show(response, 404, '<p>There is nothing here.</p>');
}

function showProduct(response: ServerResponse): void {
  const { name, price, currency } = PRODUCT;
  // The order has its id before it is sent: pressing the button twice is one order and one payment.
  const form = `<form method="post" action="/orders"><input type="hidden" name="id" value="${randomUUID()}">
    <label>How many? <input name="quantity" type="number" value="2" min="1" max="9"></label>
    <label>Your phone <input name="phone" type="tel" value="+237650000000" required></label> <button>Pay</button></form>`;
  show(response, 200, `<p>${name}: ${price.toLocaleString('en')} ${currency}</p>${form}`);
}

async function takeOrder(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = new URLSearchParams((await bodyOf(request)).toString());
  const [id = '', phone = '', quantity = ''] = ['id', 'phone', 'quantity'].map((name) => form.get(name) ?? '');
  if (!/^[0-9a-f-]{36}$/.test(id) || !/^[1-9]$/.test(quantity) || !phone || phone.length > 32) {
    return show(response, 400, '<p>Something is wrong with the order.</p>');
  }
  // The price is ours, whatever the page says.
  const total = Number(quantity) * PRODUCT.price;
  const order = orders.get(id) ?? { id, quantity, phone, total, payment: null, payAt: '', paid: false };
  orders.set(id, order);
  const before = order.payment; // read before the first await: two clicks then use the same key
  if (before && !(await hasEnded(order, before))) return redirect(response, order.paid ? `/orders/${id}` : order.payAt);
  // A key belongs to one payment: after one that failed, the same key would return that one.
  const key = before ? `order-${id}-after-${before}` : `order-${id}`;
  const payment = {
    amount: order.total,
    currency: PRODUCT.currency,
    phone: order.phone,
    reference: order.id,
    description: `${order.quantity} × ${PRODUCT.name}`,
    callback: `${SHOP_URL}/orders/${order.id}`,
  };
  const { authorization_url, transaction } = await pirogue.payments.create(payment, { idempotencyKey: key });
  Object.assign(order, { payment: transaction.id, payAt: authorization_url });
  redirect(response, order.payAt);
}

/** Whether a payment ended without success, so that the order needs another. */
async function hasEnded(order: Order, payment: string): Promise<boolean> {
  const current = await pirogue.payments.retrieve(payment);
  settle(current);
  return !order.paid && ['failed', 'cancelled', 'expired'].includes(current.status);
}

/** Where the payer comes back to. That they come proves nothing: unless the webhook was faster, we ask. */
async function showOrder(order: Order, response: ServerResponse): Promise<void> {
  if (!order.paid && order.payment) settle(await pirogue.payments.retrieve(order.payment));
  show(response, 200, `<p>Order ${order.id}: <strong>${order.paid ? 'paid, thank you' : 'not paid yet'}</strong></p>`);
}

async function receiveWebhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const event = await pirogue.webhooks.verify(await bodyOf(request), request.headers, PIROGUE_WEBHOOK_SECRET);
    if (!seenEvents.has(event.id) && event.event === 'payment.succeeded') settle(event.data);
    seenEvents.add(event.id);
    response.writeHead(200).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(400).end();
  }
}

/** The one place where an order becomes paid: by a payment with its number, of the whole amount in its currency. */
function settle(payment: Payment): void {
  const order = orders.get(payment.reference ?? '');
  if (!order || order.paid || payment.status !== 'succeeded') return;
  if (payment.amount !== order.total || payment.currency !== PRODUCT.currency) return;
  order.paid = true;
  console.log(`Order ${order.id} is paid`);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}

function show(response: ServerResponse, status: number, content: string): void {
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Chez Awa</title><h1>Chez Awa</h1>';
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(head + content);
}
