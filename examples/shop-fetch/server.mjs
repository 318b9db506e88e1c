// The same shop with nothing but fetch and HMAC, in plain JavaScript. Run it: npm run example -- shop-fetch (see ../README.md).
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { PORT = '3000', PIROGUE_URL = 'http://127.0.0.1:8080', PIROGUE_KEY = '', PIROGUE_WEBHOOK_SECRET = '' } = process.env;
const { SHOP_URL = `http://127.0.0.1:${PORT}` } = process.env;
const PRODUCT = { name: 'Basket of mangoes', price: 12_500, currency: 'XAF' };
const MAX_BODY = 256 * 1024;

/** A real shop keeps these two in its database. */
const orders = new Map();
const seenEvents = new Set();

createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error.message);
    if (error.status === 401) console.error(`${PIROGUE_URL} rejects PIROGUE_KEY: check it, and start the shop again.`);
    // Sending the form again is safe: the order, and with it the Idempotency-Key, stays the same.
    show(response, 502, '<p>Payment does not work at this moment. Please go back and try again.</p>');
  });
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Shop at ${SHOP_URL}`));

async function answer(request, response) {
  const { pathname } = new URL(request.url, SHOP_URL);
  const order = orders.get(pathname.replace('/orders/', ''));
  if (request.method === 'GET' && pathname === '/') return showProduct(response);
  if (request.method === 'POST' && pathname === '/orders') return takeOrder(request, response);
  if (request.method === 'GET' && order) return showOrder(order, response);
  if (request.method === 'POST' && pathname === '/webhooks') return receiveWebhook(request, response);
  show(response, 404, '<p>There is nothing here.</p>');
}

/** Calls the service. After 429, 5xx and a broken connection it tries again, always with the same key. */
async function call(method, path, body, idempotencyKey = randomUUID()) {
  for (let tries = 1; ; tries += 1) {
    const answered = await fetch(PIROGUE_URL + path, {
      method,
      headers: {
        authorization: PIROGUE_KEY,
        'content-type': 'application/json',
        ...(method === 'POST' ? { 'idempotency-key': idempotencyKey } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(10_000),
    })
      .then(async (reply) => ({ status: reply.status, headers: reply.headers, json: await reply.json() }))
      .catch((error) => ({ status: 0, headers: new Headers(), json: { message: error.message } }));
    const { status, headers, json } = answered;
    if (status >= 200 && status < 300) return json;
    const worthIt = status === 0 || status === 429 || status >= 500;
    if (!worthIt || tries === 3) throw Object.assign(new Error(`${method} ${path}: ${status} ${json.message}`), { status });
    const seconds = Number(headers.get('retry-after') ?? tries) + Math.random();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

function showProduct(response) {
  const { name, price, currency } = PRODUCT;
  // The order has its id before it is sent: pressing the button twice is one order and one payment.
  const form = `<form method="post" action="/orders"><input type="hidden" name="id" value="${randomUUID()}">
    <label>How many? <input name="quantity" type="number" value="2" min="1" max="9"></label>
    <label>Your phone <input name="phone" type="tel" value="+237650000000" required></label> <button>Pay</button></form>`;
  show(response, 200, `<p>${name}: ${price.toLocaleString('en')} ${currency}</p>${form}`);
}

async function takeOrder(request, response) {
  const { id, phone, quantity } = Object.fromEntries(new URLSearchParams(String(await bodyOf(request))));
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
  const { authorization_url, transaction } = await call('POST', '/payments', payment, key);
  Object.assign(order, { payment: transaction.id, payAt: authorization_url });
  redirect(response, order.payAt);
}

/** Whether a payment ended without success, so that the order needs another. */
async function hasEnded(order, payment) {
  const { transaction } = await call('GET', `/payments/${payment}`);
  settle(transaction);
  return !order.paid && ['failed', 'cancelled', 'expired'].includes(transaction.status);
}

/** Where the payer comes back to. That they come proves nothing: unless the webhook was faster, we ask. */
async function showOrder(order, response) {
  if (!order.paid && order.payment) settle((await call('GET', `/payments/${order.payment}`)).transaction);
  show(response, 200, `<p>Order ${order.id}: <strong>${order.paid ? 'paid, thank you' : 'not paid yet'}</strong></p>`);
}

async function receiveWebhook(request, response) {
  const body = await bodyOf(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(400).end();
  const event = JSON.parse(body);
  if (!seenEvents.has(event.id) && event.event === 'payment.succeeded') settle(event.data);
  seenEvents.add(event.id);
  response.writeHead(200).end();
}

/** In this order: the prefix, the digest over the exact bytes, in constant time, then the time. */
function isGenuine(headers, body) {
  const { 'x-service-signature': signature = '', 'x-service-timestamp': timestamp = '' } = headers;
  if (!PIROGUE_WEBHOOK_SECRET || !signature.startsWith('v1=')) return false;
  const expected = createHmac('sha256', PIROGUE_WEBHOOK_SECRET).update(`${timestamp}.`).update(body).digest('hex');
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(signature.slice(3))];
  if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return false;
  return Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
}

/** The one place where an order becomes paid: by a payment with its number, of the whole amount in its currency. */
function settle(payment) {
  const order = orders.get(payment.reference);
  if (!order || order.paid || payment.status !== 'succeeded') return;
  if (payment.amount !== order.total || payment.currency !== PRODUCT.currency) return;
  order.paid = true;
  console.log(`Order ${order.id} is paid`);
}

async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const redirect = (response, location) => response.writeHead(303, { location }).end();

function show(response, status, content) {
  const head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Chez Awa</title><h1>Chez Awa</h1>';
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(head + content);
}
