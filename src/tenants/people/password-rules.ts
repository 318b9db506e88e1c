import { normalized } from '../../kit/unicode.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from './passwords.ts';

/** Why a password is not accepted. */
export type PasswordFault = 'short' | 'long' | 'common' | 'own';

/**
 * Words of the most common passwords of twelve or more characters, without digits and signs at their ends and with repetitions folded.
 */
const COMMON = new Set(
  `password passwort motdepasse monmotdepasse mypassword thepassword passwordpassword azerty azertyuiop qwerty qwertyuiop qwertzuiop
  qwertyuiopasdf azertyuiopqsdf letmein letmeinplease iloveyou iloveyousomuch jetaime jetaimefort changeme changemenow changeit
  welcome welcomeback bienvenue administrator administrateur superadmin adminadmin administration pirogue piroguepirogue footballfootball
  football basketball trustnoone sunshine princess princesse abcdefghijkl abcdefghijklm abcdefghijklmn abcdefghijklmnop asdfghjkl
  asdfghjklzxcvbnm zxcvbnm zxcvbnmasdfgh cameroun cameroon cotedivoire ivorycoast senegal nigeria douala yaounde abidjan dakar lagos
  testtesttest test secret secretsecret dragon starwars whatever computer internet lechatnoir doudou soleil bonjour bonjourbonjour loulou
  alleluia hallelujah jesuschrist jesus dieuestgrand godisgood godisgreat merciseigneur merci familyfirst`.split(/\s+/),
);

const KEYBOARD = ['01234567890123456789', '98765432109876543210', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiopasdfghjklzxcvbnm'];

/**
 * Returns why a password is too easy to guess; null when it is accepted. Length counts, not signs and digits (NIST SP 800-63B).
 * @param own the person's address and name, and the name of the service, which attackers try first
 */
export function passwordFault(password: string, own: readonly string[]): PasswordFault | null {
  const text = normalized(password, 'NFKC').toLowerCase();
  if ([...text].length < MIN_PASSWORD) return 'short';
  if (password.length > MAX_PASSWORD) return 'long';
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '').replace(/[0@]/g, (sign) => (sign === '0' ? 'o' : 'a'));
  const run = KEYBOARD.some((keys) => keys.includes(text));
  if (core === '' || COMMON.has(core.replace(/[^\p{L}]/gu, '')) || run || new Set(text).size < 5) return 'common';
  const parts = own.flatMap((word) => [word, ...word.split(/[@\s]/)]).map((word) => normalized(word, 'NFKC').toLowerCase());
  return parts.includes(text) || parts.includes(core) ? 'own' : null;
}
