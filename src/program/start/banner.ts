import type { KeysFile } from './demo.ts';

/** Returns the text of the first screen: the URL, the keys, and a call that works when pasted. */
export function banner(keys: KeysFile, keysFile: string): string {
  return `
  Pirogue is ready at ${keys.base_url}

    sandbox   public  ${keys.sandbox.public}
              secret  ${keys.sandbox.secret}
    live      public  ${keys.live.public}
              secret  ${keys.live.secret}
    (kept in ${keysFile})

  Create a payment, then open its authorization_url and pay with +237 650 000 000:

    curl -s ${keys.base_url}/payments \\
      -H "Authorization: ${keys.sandbox.secret}" \\
      -H "Content-Type: application/json" \\
      -d '{"amount": 25000, "currency": "XAF", "phone": "+237650000000", "reference": "order-1"}'

  Stop with Ctrl-C.
`;
}
