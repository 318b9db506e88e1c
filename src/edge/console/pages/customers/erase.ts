import { html } from '../../../../kit/html.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { field, idText, pageHead } from '../../parts/parts.ts';
import { type Customer, customerOf, titleOf } from './read.ts';
import { CUSTOMER_TEXTS } from './texts.ts';

/** Shows what an erasure does, and asks for the customer's id or e-mail address to be typed. */
export async function showErase(visit: TeamVisit, typed?: string): Promise<Answer> {
  const customer = await customerOf(visit);
  const path = `${visit.base}/customers/${customer.id}`;
  if (customer.archived_at !== null) return redirect(path);
  const texts = CUSTOMER_TEXTS[visit.language];
  const label = customer.email === null ? texts.erase.typeId : texts.erase.typeEither;
  return {
    kind: 'page',
    title: texts.erase.title,
    nav: '/customers',
    ...(typed === undefined ? {} : { status: 422 }),
    body: html`<p class="back"><a href="${path}">← ${titleOf(customer)}</a></p>${pageHead(texts.erase.title)}<section class="card narrow"><p>${texts.erase.what}</p><ul class="reasons">${texts.erase.effects.map((effect) => html`<li>${effect}</li>`)}</ul>
<p>${idText(customer.id)}${customer.email !== null && html`<br>${idText(customer.email)}`}</p>
<form method="post" action="${path}/erase">${visit.formFields()}
${field({ name: 'confirm', label, value: typed, error: typed === undefined ? undefined : texts.erase.wrong, autocomplete: 'off', required: true })}
<div class="form-actions"><button class="danger">${texts.erase.submit}</button><a class="button quiet-button" href="${path}">${texts.erase.keep}</a></div></form></section>`,
  };
}

/** Erases the customer whose id or e-mail address was typed. */
export async function submitErase(visit: TeamVisit): Promise<Answer> {
  const customer = await customerOf(visit);
  const typed = fieldOf(visit, 'confirm');
  if (!names(customer, typed)) return showErase(visit, typed);
  await visit.api('DELETE /customers/:id', { params: { id: customer.id } });
  return redirect(`${visit.base}/customers/${customer.id}?done=erase`);
}

function names({ id, email }: Customer, typed: string): boolean {
  return typed === id || (email !== null && typed.toLowerCase() === email.toLowerCase());
}
