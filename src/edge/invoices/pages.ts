import type { FastifyReply, FastifyRequest } from 'fastify';
import { HEADERS, PAGE_HEADERS } from '../pages/assets.ts';
import { isCrossSite } from '../pages/browser.ts';
import { type Notice, noticePage } from '../pages/notice.ts';
import { compressed } from '../http/compressed.ts';
import { isOurFault, renderError } from '../../tenants/api/replies.ts';
import type { Pages } from '../http/server.ts';
import { Throttle } from '../../kit/throttle.ts';
import type { InvoiceDeps } from './deps.ts';
import {
  type Answer,
  type InvoicePageContext,
  showInvoice,
  submitInvoice,
  unknownInvoice,
  type Visit,
  wishedLanguage,
} from './handlers.ts';

/** Maximum size of a body: a form with one amount. */
const BODY_BYTES = 4 * 1024;
/** Maximum submits for one invoice in a minute. A payer needs a few, and each may create a payment. */
const SUBMITS_A_MINUTE = 20;
/** Maximum requests for the page of one invoice in a minute. */
const READS_A_MINUTE = 300;

/** Routes of the invoice pages under /invoice. No other file of the slice depends on the web framework's requests. */
export function invoicePages(deps: InvoiceDeps): Pages {
  const context: InvoicePageContext = {
    deps,
    submits: new Throttle(deps.clock, SUBMITS_A_MINUTE),
    reads: new Throttle(deps.clock, READS_A_MINUTE),
  };
  const host = new URL(deps.config.public_url).host;
  return (app) => {
    app.register(
      async (scope) => {
        scope.removeAllContentTypeParsers();
        const form = 'application/x-www-form-urlencoded';
        scope.addContentTypeParser(form, { parseAs: 'string', bodyLimit: BODY_BYTES }, (_, text, done) =>
          done(null, new URLSearchParams(String(text))),
        );
        scope.get('/:token', { exposeHeadRoute: true }, async (request, reply) =>
          send(request, reply, await showInvoice(context, visitOf(request))),
        );
        scope.post('/:token', { bodyLimit: BODY_BYTES }, async (request, reply) => {
          const visit = visitOf(request);
          if (isCrossSite(request.headers, host)) return send(request, reply, notice(visit, 403, 'refused'));
          const typed = request.body instanceof URLSearchParams ? request.body.get('amount') : null;
          return send(request, reply, await submitInvoice(context, visit, typed));
        });
        for (const path of ['/', '/*']) {
          scope.all(path, async (request, reply) => send(request, reply, unknownInvoice(visitOf(request))));
        }
        scope.setErrorHandler(async (error, request, reply) => {
          const { code } = renderError(error);
          const { request_id } = request.tracing;
          if (isOurFault(error)) deps.log.error({ err: error, request_id }, 'a page failed with an internal error');
          return send(request, reply, notice(visitOf(request), code, code >= 500 ? 'broken' : 'refused'));
        });
      },
      { prefix: '/invoice' },
    );
  };
}

function visitOf({ method, params, query, headers, tracing }: FastifyRequest): Visit {
  const { token = '' } = (params ?? {}) as { token?: string };
  const { lang } = (query ?? {}) as { lang?: unknown };
  return { token, lang, accepts: headers['accept-language'], reads: method === 'GET', request_id: tracing.request_id };
}

function notice(visit: Visit, status: number, what: Notice): Answer {
  const language = wishedLanguage(visit);
  return { status, page: noticePage(language, what), language };
}

async function send(request: FastifyRequest, reply: FastifyReply, answer: Answer): Promise<FastifyReply> {
  reply.headers(HEADERS);
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303);
  const { status, page, language, headers = {} } = answer;
  reply
    .headers({ ...PAGE_HEADERS, ...headers })
    .type('text/html; charset=utf-8')
    .header('Content-Language', language);
  return compressed(request, reply.code(status), page.text);
}
