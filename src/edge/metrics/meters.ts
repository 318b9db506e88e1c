import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Send, SendResult } from '../../kit/fetch.ts';
import type { Provider } from '../../providers/adapters/contract.ts';
import { measured, type Observer } from '../../providers/routing/health/measure.ts';
import type { Family } from './exposition.ts';
import { Counter, Durations } from './instruments.ts';

/** What the response to a call of a provider can say. */
const OUTCOMES = ['accepted', 'succeeded', 'unsuccessful', 'failed', 'unreadable'] as const;

/**
 * Metrics counted as events occur. Labels have few values (routes, channels, providers): never a team, an id or anything sent
 * by a caller.
 */
export class Meters {
  readonly #requests = new Counter('pirogue_http_requests_total', 'Requests answered.', ['method', 'route', 'status']);
  readonly #requestTimes = new Durations(
    'pirogue_http_request_duration_seconds',
    'From the first byte of a request to the last of its answer.',
    ['method', 'route'],
  );
  readonly #calls = new Counter(
    'pirogue_provider_calls_total',
    'Calls to providers, by what their answer said.',
    ['provider', 'channel', 'operation', 'call', 'outcome'],
    OUTCOMES,
  );
  readonly #callTimes = new Durations('pirogue_provider_call_duration_seconds', 'How long providers took to answer.', [
    'provider',
    'operation',
    'call',
  ]);
  readonly #deliveries = new Counter(
    'pirogue_webhook_attempts_total',
    'Webhook attempts, by answer (2xx) or failure (timeout).',
    ['environment', 'outcome'],
  );
  readonly #deliveryTimes = new Durations('pirogue_webhook_attempt_duration_seconds', 'How long receivers took to answer.', [
    'environment',
  ]);

  readonly #putBack = new Counter(
    'pirogue_webhook_put_back_total',
    'Webhook deliveries put back into the queue without an attempt, because of the database or of a fault in the program.',
    ['environment', 'cause'],
  );
  readonly #lost = new Counter(
    'pirogue_log_rows_lost_total',
    'Rows of a log that were not stored: the database was late or gone.',
    ['environment', 'log'],
  );

  /** Counts rows of a log that were not stored. */
  lost(environment: Environment, log: string, rows: number): void {
    this.#lost.addMany(rows, environment, log);
  }

  /**
   * @param route the matched pattern, never the requested path
   * @param ms duration in milliseconds
   */
  request(method: string, route: string, status: number, ms: number): void {
    this.#requests.add(method, route, String(status));
    this.#requestTimes.add(ms, method, route);
  }

  /** Wraps a provider and counts each response about money. */
  provider(provider: Provider, clock: Clock): Provider {
    const observer: Observer = {
      sending: () => {},
      report: ({ channel, operation, call }, finding, sent) => {
        const outcome: (typeof OUTCOMES)[number] = finding.failed
          ? 'failed'
          : finding.unreadable
            ? 'unreadable'
            : (finding.ended ?? 'accepted');
        this.#calls.add(provider.name, channel, operation, call, outcome);
        this.#callTimes.add(clock.now() - sent, provider.name, operation, call);
      },
    };
    return measured(provider, observer, clock);
  }

  /** Wraps a sender and counts each webhook attempt. */
  deliveries(send: Send, environment: Environment): Send {
    return async (options) => {
      const result = await send(options);
      this.#deliveries.add(environment, outcomeOf(result));
      this.#deliveryTimes.add(result.duration_ms, environment);
      return result;
    };
  }

  /** Counts a delivery that was put back without an attempt. */
  deliveryPutBack(environment: Environment, cause: 'database' | 'program'): void {
    this.#putBack.add(environment, cause);
  }

  families(): Family[] {
    const all = [
      this.#requests,
      this.#requestTimes,
      this.#calls,
      this.#callTimes,
      this.#deliveries,
      this.#deliveryTimes,
      this.#putBack,
      this.#lost,
    ];
    return all.map((instrument) => instrument.family());
  }
}

function outcomeOf(result: SendResult): string {
  return result.kind === 'answered' ? `${Math.floor(result.status / 100)}xx` : result.error;
}
