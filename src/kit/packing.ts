import { deflateRawSync, inflateRawSync } from 'node:zlib';

/*
 * Stored form of an event's body: `1|2|cus_…`, a line feed, then the deflated text. The text has a placeholder (`HOLE`) for each
 * value of the first line. These values are known only to the statement that writes the row (the number of endpoints, the customer
 * that was found), so that they come from its own snapshot. A body that starts with a brace is not packed.
 * Reasons: docs/decisions/0021-footprint.md.
 */

/** Placeholder for a value that is filled in later. JSON never contains this character unescaped. */
export const HOLE = '\u0001';

const DICTIONARY = '1';
const LINE_FEED = 0x0a;
const BRACE = 0x7b;

/**
 * Deflate dictionary: repeated parts of our JSON, the most frequent last. It saves three quarters of a body; deflate alone
 * saves half. Stored rows depend on it for ever: a new dictionary needs another number.
 */
const WORDS = Buffer.from(
  '{"code":201,"message":"Payment is processing","body":{"action":{"kind":"confirm"},"transaction":{"refund":{"transfer":{' +
    '"company_name":null,"address":null,"billing":null,"tax_id":null,"metadata":null,"blocked":false,"archived_at":null' +
    '"failure_reason":null,"beneficiary":"ben_","insufficient_balance","customer.created","refund.succeeded","pm_test_"' +
    '"status":"processing","status":"failed","cancelled","expired","pending","refunded","partially_refunded"' +
    '{"id":"evt_","event":"payment.succeeded","livemode":true,"created":"2026-","api_version":"2026-08-01",' +
    `"pending_webhooks":${HOLE},"request":{"id":null,"idempotency_key":"req_test_01"},"data":{"id":"trx_test_01","name":"` +
    '","email":"@gmail.com","phone":"+237650000000","reference":"order-","amount":5000,"currency":"XAF","status":"succeeded",' +
    '"channel":"cm.mtn","description":"","sandbox":true,"created_at":"2026-11-21T13:00:00.000Z","settled":true,' +
    '"reason":null,"metadata":{"order":"amount_total":5000,"amount_captured":5000,"amount_refunded":0,"fee":100,' +
    `"bearer":"merchant","message":null,"customer":"${HOLE}","payment_method":null,"account":null,"callback":"https://` +
    '","items":null,"address":null,"shipping":null,"theming":null,"expires_at":"2026-11-21T13:00:00.000Z",' +
    '"completed_at":null,"updated_at":"2026-11-21T13:00:00.000Z","attempts":[{"id":"att_test_01","provider":"sandbox",' +
    '"channel":"cm.mtn","status":"open","reason":null,"created_at":"2026-11-21T13:00:00.000Z"}]}}',
);

/** Start of a stored body, followed by `|` and a value for each placeholder, and a line feed. */
export const MARK = DICTIONARY;

/**
 * Compresses a text.
 * @param text with a {@link HOLE} for each value that only the statement can supply
 */
export function packText(text: string): Buffer {
  return deflateRawSync(text, { dictionary: WORDS });
}

/** Returns the complete stored form of a text without placeholders. */
export function packWhole(text: string): Buffer {
  return Buffer.concat([Buffer.from(`${MARK}\n`), packText(text)]);
}

/**
 * Returns the text of a stored body with its placeholders filled: always the same bytes.
 * @throws Error for an unknown dictionary
 */
export function unpack(bytes: Buffer): string {
  if (bytes[0] === BRACE) return bytes.toString();
  const end = bytes.indexOf(LINE_FEED);
  const [dictionary, ...values] = bytes.toString('latin1', 0, end).split('|');
  if (dictionary !== DICTIONARY) throw new Error(`impossible: packed with dictionary ${dictionary}`);
  const pieces = inflateRawSync(bytes.subarray(end + 1), { dictionary: WORDS })
    .toString()
    .split(HOLE);
  return pieces.reduce((text, piece, i) => text + (values[i - 1] ?? '') + piece);
}
