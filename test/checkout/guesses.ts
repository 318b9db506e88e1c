/**
 * What is guessed from a number, by the server when the form comes without an operator and by the page's script as the
 * payer types: both are held to this list.
 */
export const GUESSES: readonly { currency: string; typed: string; channel: string | null }[] = [
  { currency: 'XAF', typed: '650 00 00 00', channel: 'cm.mtn' },
  { currency: 'XAF', typed: '655000000', channel: 'cm.orange' },
  { currency: 'XAF', typed: '+237 690 000 000', channel: 'cm.orange' },
  { currency: 'XAF', typed: '00237690000000', channel: 'cm.orange' },
  { currency: 'XAF', typed: '237690000000', channel: 'cm.orange' },
  { currency: 'XAF', typed: '+241 74 00 00 00', channel: 'ga.airtel' },
  // Gabon's Moov and Chad's Airtel both have eight digits that start with 6.
  { currency: 'XAF', typed: '65000000', channel: null },
  { currency: 'XAF', typed: '12', channel: null },
  { currency: 'XOF', typed: '+221 77 000 00 00', channel: 'sn.orange' },
  { currency: 'XOF', typed: '770000000', channel: 'sn.orange' },
  { currency: 'XOF', typed: '+22670000000', channel: 'bf.moov' },
  // Burkina Faso, Mali and Togo.
  { currency: 'XOF', typed: '70000000', channel: null },
  { currency: 'XOF', typed: '+229 97 00 00 00', channel: 'bj.mtn' },
  { currency: 'XOF', typed: '0700000000', channel: 'ci.orange' },
  { currency: 'KES', typed: '0712 345 678', channel: 'ke.mpesa' },
  { currency: 'KES', typed: '712345678', channel: 'ke.mpesa' },
  // 744 belongs to neither.
  { currency: 'KES', typed: '0744345678', channel: null },
  { currency: 'GHS', typed: '0244000000', channel: 'gh.mtn' },
  { currency: 'NGN', typed: '08031234567', channel: 'ng.mtn' },
];
