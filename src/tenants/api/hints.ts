/** A `hint` as documented: when an error carries it, and its text with places `{name}`. */
interface HintText {
  status: number;
  when: string;
  text: string;
}

const table = {
  key_scheme: {
    status: 401,
    when: 'The key was sent with the name of a scheme, such as `Bearer` or `Basic`.',
    text: 'Send the API key alone as the value of the Authorization header, without "{scheme}".',
  },
  key_quoted: {
    status: 401,
    when: 'The key was sent in quotes.',
    text: 'Send the API key alone as the value of the Authorization header, without quotes.',
  },
  key_elsewhere: {
    status: 401,
    when: 'The Authorization header is missing, and another header usual for keys is there.',
    text: 'Send the API key in the Authorization header, not in {header}.',
  },
  key_form: {
    status: 401,
    when: 'What was sent does not begin as a key does.',
    text: 'An API key begins with pk., sk. or rk. (live), or with pk_test., sk_test. or rk_test. (sandbox).',
  },
  key_complete: {
    status: 401,
    when: 'What was sent begins as a key does.',
    text: 'Check that the API key is complete, was issued by this server and was not revoked.',
  },
  scope: {
    status: 403,
    when: 'A restricted key lacks the scope.',
    text: 'Use a restricted key that has the scope {scope}, or a secret key on your server.',
  },
  live_key: {
    status: 403,
    when: 'A sandbox key was used for a feature of live only.',
    text: 'This operation needs a live key (sk.… or rk.…); this is a sandbox key ({own}…).',
  },
  other_environment: {
    status: 404,
    when: 'An id of the request is of the other environment, by its own text.',
    text: 'An id in this request is a {theirs} one, and the API key is a {ours} key: resources of one environment do not exist in the other.',
  },
  id_form: {
    status: 404,
    when: 'What stands in the path for the id has another beginning.',
    text: 'The id in this path begins with {prefix}; your own reference and other ids do not find it.',
  },
  path: {
    status: 404,
    when: 'There is no such path, but one that is similar.',
    text: 'There is no such path: did you mean {path}?',
  },
  secret_key: {
    status: 406,
    when: 'A public key was sent where a secret or restricted one is needed.',
    text: 'This operation needs a secret ({secret}…) or restricted key ({restricted}…) on your server; this is a public one ({own}…).',
  },
  body_missing: {
    status: 400,
    when: 'The body is missing.',
    text: 'Send the fields as a JSON object in the body of the request.',
  },
  body_list: {
    status: 400,
    when: 'The body is a list.',
    text: 'Send one JSON object, not a list: each request creates or changes one resource.',
  },
  body_value: {
    status: 400,
    when: 'The body is a JSON text, number or the like, for example because it was encoded twice.',
    text: 'Send a JSON object; a body in quotes was encoded as JSON twice.',
  },
  body_form: {
    status: 400,
    when: 'The body is a form.',
    text: 'Send the body as JSON, not as a form: {"amount": 25000, "currency": "XAF"}.',
  },
  body_syntax: {
    status: 400,
    when: 'The body is not JSON.',
    text: 'JSON needs double quotes around names and texts, and takes no comments and no comma after the last entry.',
  },
  unknown_field: {
    status: 422,
    when: 'A rejected field may have been sent under another name.',
    text: '{field} is not a field of this operation: did you mean {near}?',
  },
} as const satisfies Record<string, HintText>;

export type HintName = keyof typeof table;

/** All hints of errors. */
export const HINTS: Record<HintName, HintText> = table;

/**
 * Returns the text of a hint.
 * @param values replacements of the places; never a secret, and no data of another team
 */
export function hint(name: HintName, values: Record<string, string | undefined> = {}): string {
  return HINTS[name].text.replace(/\{(\w+)\}/g, (place, key: string) => values[key] ?? place);
}
