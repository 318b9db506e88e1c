import { callWith } from './call.ts';
import { type PirogueOptions, settingsOf } from './options.ts';
import { Accounts } from './resources/accounts.ts';
import { Balances } from './resources/balance.ts';
import { Beneficiaries } from './resources/beneficiaries.ts';
import { Customers } from './resources/customers.ts';
import { Disputes } from './resources/disputes.ts';
import { Events } from './resources/events.ts';
import { Invoices } from './resources/invoices.ts';
import { Links } from './resources/links.ts';
import { Payments } from './resources/payments.ts';
import { Banks, Channels, Countries, Currencies, Identities } from './resources/reference.ts';
import { Refunds } from './resources/refunds.ts';
import { Transfers } from './resources/transfers.ts';
import { Webhooks } from './resources/webhooks.ts';

/**
 * A client of the service, with one key.
 *
 * ```ts
 * const pirogue = new Pirogue(key, { baseUrl: 'https://pay.example' });
 * const { authorization_url } = await pirogue.payments.create({ amount: 25000, currency: 'XAF', phone: '+237650000000' });
 * ```
 */
export class Pirogue {
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly transfers: Transfers;
  readonly beneficiaries: Beneficiaries;
  readonly customers: Customers;
  readonly invoices: Invoices;
  readonly links: Links;
  readonly accounts: Accounts;
  readonly balance: Balances;
  readonly disputes: Disputes;
  readonly webhooks: Webhooks;
  readonly events: Events;
  readonly channels: Channels;
  readonly countries: Countries;
  readonly currencies: Currencies;
  readonly banks: Banks;
  readonly identity: Identities;

  /**
   * Creates a client.
   * @param key determines the environment: a key with `_test.` is for the sandbox
   * @throws TypeError for an invalid key or option
   */
  constructor(key: string, options: PirogueOptions) {
    const call = callWith(settingsOf(key, options));
    this.payments = new Payments(call);
    this.refunds = new Refunds(call);
    this.transfers = new Transfers(call);
    this.beneficiaries = new Beneficiaries(call);
    this.customers = new Customers(call);
    this.invoices = new Invoices(call);
    this.links = new Links(call);
    this.accounts = new Accounts(call);
    this.balance = new Balances(call);
    this.disputes = new Disputes(call);
    this.webhooks = new Webhooks(call);
    this.events = new Events(call);
    this.channels = new Channels(call);
    this.countries = new Countries(call);
    this.currencies = new Currencies(call);
    this.banks = new Banks(call);
    this.identity = new Identities(call);
  }
}
