import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import decodeQR from 'qr/decode.js';
import { qrCode } from '../../src/edge/checkout/qr.ts';
import { newPayment, Payer } from './payer.ts';
import { type Api, startApi } from '../setup/api.ts';

const EDGE = 4;
const DESKTOP = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0',
  'accept-encoding': 'gzip, deflate, br',
};

/** What a camera reads of the code in a page: with the white edge that the style gives it. */
function scanned(page: string): string {
  const data = /<img class="qr" src="data:image\/png;base64,([^"]+)"/.exec(page)?.[1];
  assert.ok(data, 'a code is there');
  const png = Buffer.from(data, 'base64');
  const side = png.readUInt32BE(16);
  const length = png.readUInt32BE(33);
  const rows = inflateSync(png.subarray(41, 41 + length));
  const stride = 1 + Math.ceil(side / 8);
  const width = side + 2 * EDGE;
  const pixels = new Uint8Array(width * width * 4).fill(255);
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const white = ((rows[y * stride + 1 + (x >> 3)] as number) >> (7 - (x & 7))) & 1;
      if (!white) pixels.fill(0, ((y + EDGE) * width + x + EDGE) * 4, ((y + EDGE) * width + x + EDGE) * 4 + 3);
    }
  }
  return decodeQR(enlarged(pixels, width, 4));
}

/** Cameras see a module as more than one pixel. */
function enlarged(pixels: Uint8Array, side: number, by: number) {
  const width = side * by;
  const data = new Uint8Array(width * width * 4);
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      const from = (Math.floor(y / by) * side + Math.floor(x / by)) * 4;
      data.set(pixels.subarray(from, from + 4), (y * width + x) * 4);
    }
  }
  return { width, height: width, data };
}

let api: Api;
before(async () => {
  api = await startApi();
});
after(() => api.stop());

test('a QR code decodes to its input, short and long', () => {
  for (const text of ['https://a.example', `https://pay.shop.example/${'x'.repeat(90)}`, 'https://pay.example/'.repeat(12)]) {
    assert.equal(scanned(qrCode(text, 'x').text), text);
  }
});

test('200 the page of an open payment has a QR code of its own address; another device that opens it can pay', async () => {
  const { url } = await newPayment(api);
  const { body, headers } = await new Payer(url).get('', DESKTOP);
  assert.equal(scanned(body), url);
  assert.match(headers.get('content-security-policy') ?? '', /img-src 'self' data:/);
  const phone = new Payer(scanned(body));
  await phone.get();
  assert.equal((await phone.submit({ phone: '650000000', channel: 'cm.mtn' })).status, 303);
});

test('200 without a QR code once the payment has begun, because another device could not continue it', async () => {
  const { url } = await newPayment(api, { amount: 900_000 });
  const payer = new Payer(url);
  await payer.get();
  await payer.submit({ phone: '650000000', channel: 'cm.mtn' });
  assert.doesNotMatch((await payer.get('', DESKTOP)).body, /class="qr"/);
});

test('200 without a QR code without Brotli, where the heaviest page would exceed 15 kB', async () => {
  const { url } = await newPayment(api);
  assert.doesNotMatch((await new Payer(url).get('', { ...DESKTOP, 'accept-encoding': 'gzip, deflate' })).body, /class="qr"/);
});

test('200 without a QR code on a device that does not identify itself as a desktop', async () => {
  const { url } = await newPayment(api);
  for (const agent of [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Mobile; Nokia_8000_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5.4',
    'Opera/9.80 (J2ME/MIDP; Opera Mini/9.80) Presto/2.5.25',
  ]) {
    assert.doesNotMatch((await new Payer(url).get('', { ...DESKTOP, 'user-agent': agent })).body, /class="qr"/, agent);
  }
});
