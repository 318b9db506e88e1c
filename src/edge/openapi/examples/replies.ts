import { envelope } from '../../../kit/envelope.ts';
import { cancelledInvoice, draftInvoice } from './invoices.ts';
import { RESOURCES } from './resources.ts';

/** Cursors are opaque. */
const META = { current_page: 1, last_page: 1, per_page: 25, total: 1, next_cursor: 'b3RyeF90ZXN0XzAxa3loNWQ3ZzA.5nq2hWc8' };
const ONE_PAGE = { current_page: 1, last_page: 1, per_page: 1, total: 1 };

const list = (item: object, meta: object = META) => ({ items: [item], meta });
const TOKEN = 'dHJ4X3Rlc3RfMDFreWg1ZDdnMGExYjJjM2Q0ZTVmNmc3aDg.Zk3n0Q8yR1xV';
const R = RESOURCES;
const withSecret = { ...R.WebhookEndpoint, secret: 'whsec_4f7Kq2mZ8xW1cV5bN9aS3dG6hJ0kL2pQ4rT7yU1iO5e' };
const { data: _, ...event } = R.Event as { data: object };
const testEvent = { ...event, event: 'webhook.test', data: R.WebhookEndpoint };

/** Message and remaining body of each success, by operation. */
const REPLIES: Record<string, [message: string, body: object]> = {
  listPayments: ['Payments retrieved', list(R.ListedPayment)],
  createPayment: [
    'Payment initialised',
    { authorization_url: `https://pay.example/pay/${TOKEN}`, authorization_token: TOKEN, transaction: R.CreatedPayment },
  ],
  retrievePayment: ['Payment retrieved', { transaction: R.Payment }],
  cancelPayment: ['Payment cancelled', { transaction: R.CancelledPayment }],
  chargePayment: ['Payment is processing', { action: { kind: 'confirm', hint: '*126#' }, transaction: R.PendingPayment }],
  listRefunds: ['Refunds retrieved', list(R.Refund)],
  createRefund: ['Refund created', { refund: R.PendingRefund }],
  retrieveRefund: ['Refund retrieved', { refund: R.Refund }],
  listPaymentRefunds: ['Refunds retrieved', list(R.Refund)],
  listDisputes: ['Disputes retrieved', list(R.Dispute)],
  retrieveDispute: ['Dispute retrieved', { dispute: R.Dispute }],
  submitDisputeEvidence: [
    'Evidence submitted',
    { dispute: { ...R.Dispute, status: 'under_review', evidence: { explanation: 'Handed over on 2 August.' } } },
  ],
  acceptDispute: ['Dispute accepted', { dispute: { ...R.Dispute, status: 'lost', closed_at: '2026-08-04T08:15:00.000Z' } }],
  listTransfers: ['Transfers retrieved', list(R.Transfer)],
  createTransfer: ['Transfer created', { transfer: R.PendingTransfer }],
  retrieveTransfer: ['Transfer retrieved', { transfer: R.Transfer }],
  listBeneficiaries: ['Beneficiaries retrieved', list(R.Beneficiary)],
  createBeneficiary: ['Beneficiary created', { beneficiary: R.Beneficiary }],
  retrieveBeneficiary: ['Beneficiary retrieved', { beneficiary: R.Beneficiary }],
  replaceBeneficiary: ['Beneficiary updated', { beneficiary: R.Beneficiary }],
  updateBeneficiary: ['Beneficiary updated', { beneficiary: { ...R.Beneficiary, name: 'Awa Ngo Mbarga' } }],
  deleteBeneficiary: ['Beneficiary deleted', { beneficiary: R.Beneficiary }],
  listAccounts: ['Accounts retrieved', list(R.Account)],
  createAccount: ['Account created', { account: R.Account }],
  retrieveAccount: ['Account retrieved', { account: R.Account }],
  replaceAccount: ['Account updated', { account: { ...R.Account, split: { type: 'fixed', value: 500 } } }],
  updateAccount: ['Account updated', { account: { ...R.Account, name: 'Boutique Bonanjo II' } }],
  deactivateAccount: ['Account deactivated', { account: { ...R.Account, active: false } }],
  reactivateAccount: ['Account reactivated', { account: R.Account }],
  createAccountOnboarding: ['Onboarding link created', { onboarding: R.Onboarding }],
  retrieveBalance: ['Balance retrieved', { ...R.Balance, balance: R.Balance }],
  listCustomers: ['Customers retrieved', list(R.Customer)],
  createCustomer: ['Customer created', { customer: R.Customer }],
  retrieveCustomer: ['Customer retrieved', { customer: R.Customer }],
  replaceCustomer: ['Customer updated', { customer: R.Customer }],
  updateCustomer: ['Customer updated', { customer: { ...R.Customer, tax_id: 'P047712345678K' } }],
  eraseCustomer: ['Customer erased', { customer: R.ErasedCustomer }],
  blockCustomer: ['Customer blocked', { customer: { ...R.Customer, blocked: true } }],
  unblockCustomer: ['Customer unblocked', { customer: R.Customer }],
  listCustomerPayments: ['Payments retrieved', list(R.ListedPayment)],
  listCustomerPaymentMethods: ['Payment methods retrieved', list(R.PaymentMethod)],
  deletePaymentMethod: ['Payment method deleted', { payment_method: R.PaymentMethod }],
  listLinks: ['Links retrieved', list(R.Link)],
  createLink: [
    'Link created',
    { link: { ...R.Link, payments: 0, payments_open: 0, payments_succeeded: 0, amount_collected: 0 } },
  ],
  retrieveLink: ['Link retrieved', { link: R.Link }],
  updateLink: ['Link updated', { link: R.Link }],
  listLinkPayments: ['Payments retrieved', list({ ...R.ListedPayment, sandbox: false })],
  resolveIdentity: ['Identity resolved', { identity: R.Identity }],
  listBalanceHistory: ['Balance history retrieved', list(R.BalanceHistory)],
  listInvoices: ['Invoices retrieved', list(R.Invoice)],
  createInvoice: ['Invoice created', { invoice: draftInvoice }],
  retrieveInvoice: ['Invoice retrieved', { invoice: R.Invoice }],
  updateInvoice: ['Invoice updated', { invoice: { ...draftInvoice, due_date: '2030-09-30' } }],
  deleteInvoice: ['Invoice deleted', { invoice: { ...cancelledInvoice, ...{ number: null, url: null, sent_at: null } } }],
  sendInvoice: ['Invoice sent', { invoice: R.Invoice }],
  cancelInvoice: ['Invoice cancelled', { invoice: cancelledInvoice }],
  listWebhooks: ['Webhooks retrieved', list(R.WebhookEndpoint)],
  createWebhook: ['Webhook created', { webhook: withSecret }],
  retrieveWebhook: ['Webhook retrieved', { webhook: R.WebhookEndpoint }],
  replaceWebhook: ['Webhook updated', { webhook: { ...R.WebhookEndpoint, events: ['transfer.*'] } }],
  updateWebhook: ['Webhook updated', { webhook: R.WebhookEndpoint }],
  deleteWebhook: ['Webhook deleted', { webhook: R.WebhookEndpoint }],
  rotateWebhookSecret: ['Webhook secret rotated', { webhook: withSecret }],
  listWebhookDeliveries: ['Deliveries retrieved', list(R.WebhookDelivery)],
  testWebhook: ['Test event queued', { event: testEvent }],
  listEvents: ['Events retrieved', list(R.Event)],
  retrieveEvent: ['Event retrieved', { event: R.Event }],
  resendEvent: ['Event queued for delivery', { event: R.Event, deliveries: 1 }],
  listChannels: ['Channels retrieved', list(R.Channel, ONE_PAGE)],
  retrieveChannel: ['Channel retrieved', { channel: R.Channel }],
  listCountries: ['Countries retrieved', list(R.Country, ONE_PAGE)],
  listCurrencies: ['Currencies retrieved', list(R.CurrencyEntry, ONE_PAGE)],
  listBanks: ['Banks retrieved', list(R.Bank, ONE_PAGE)],
};

/** Returns a complete success body, or null for an operation without an example. */
export function replyExample(operationId: string, status: number): object | null {
  const known = REPLIES[operationId.replace('Subaccount', 'Account')];
  return known ? envelope(status, ...known) : null;
}
