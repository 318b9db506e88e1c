import type { KeysFile } from './demo.ts';

/**
 * Returns the text of the first screen: the addresses, the keys, a call that works when pasted, and the link to the console.
 * @param signIn address of a link that signs in once; null where the screen is not a terminal
 */
export function banner(keys: KeysFile, keysFile: string, signIn: string | null): string {
  const { base_url, sandbox, live } = keys;
  return `
  Pirogue is ready at ${base_url}
  Every call of the API, to read and to try:  ${base_url}/docs

${signIn === null ? '' : `  The console, as the owner of the demo team (once, within 10 minutes):\n\n    ${signIn}\n\n`}  Create a first payment in the sandbox, where no money moves (in another terminal):

    curl -s ${base_url}/payments \\
      -H "Authorization: ${sandbox.secret}" \\
      -H "Content-Type: application/json" \\
      -d '{"amount": 25000, "currency": "XAF", "phone": "+237650000000", "reference": "order-1"}'

  Then open the authorization_url of its response and pay with +237 650 000 000.

  Keys of the demo team, kept in ${keysFile}:

    sandbox   public  ${sandbox.public}
              secret  ${sandbox.secret}
    live      public  ${live.public}
              secret  ${live.secret}

  Next:
    npm run webhooks                  receives and prints the events of your payments
    npm run example -- shop           a shop that takes payments, on port 3000
    npm run simulators -- --connect   live payments through simulated providers
    docs/guides/README.md             guides, step by step

  Stop with Ctrl-C.
`;
}
