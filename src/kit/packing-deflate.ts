import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { HOLE } from './packing-values.ts';

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

/** Compresses a text with the dictionary (raw deflate). */
export const deflateWithWords = (text: string): Buffer => deflateRawSync(text, { dictionary: WORDS });

/** Returns the text that {@link deflateWithWords} compressed. */
export const inflateWithWords = (bytes: Buffer): string => inflateRawSync(bytes, { dictionary: WORDS }).toString();
