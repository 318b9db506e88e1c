import type { Currency } from '../../kit/money.ts';
import type { PublishedLimits } from './limits.ts';

/** One operator's wallet in one country, as published. */
export interface Operator {
  /** `<country>.<operator>`. */
  id: string;
  name: string;
  /**
   * First digits after the calling code, with ranges: `67 650-654`. Empty where every mobile number of the country can
   * have the wallet (Wave). Such a wallet is never detected and must be chosen.
   */
  prefixes: string;
  limits?: Partial<Record<Currency, PublishedLimits>>;
  /** USSD code for a payer whose prompt did not appear, to approve the request or to obtain the one-time code. */
  ussd_hint?: string;
}

const CINETPAY_CONGO = { CDF: { max: 2_000_000 }, USD: { min: 1, max: 3_000 } };

/**
 * Prefixes: google/libphonenumber resources/carrier/en (2026-07-17). Maximums: docs.hub2.io policies (those of Côte
 * d'Ivoire, Burkina Faso, Mali, Gabon and Guinea are published for payouts and used for charges too), FedaPay (Benin),
 * UEMOA wallet ceiling (Wave), pawaPay samples (Rwanda), CinetPay (Congo), Kenyan press (M-Pesa). Minimums are the
 * currency's: those hub2 publishes for payouts, and its 500 XAF for Cameroon, are above what CinetPay and Notch Pay
 * collect (100). USSD: MTN's and Orange's documents, Fincra's mobile money guide, the menus of MTN Rwanda and Orange
 * Côte d'Ivoire; omitted where no source confirms the code.
 */
export const OPERATORS: readonly Operator[] = [
  {
    id: 'cm.mtn',
    name: 'MTN Mobile Money',
    prefixes: '67 650-654 680-683',
    limits: { XAF: { max: 500_000 } },
    ussd_hint: '*126#',
  },
  {
    id: 'cm.orange',
    name: 'Orange Money',
    prefixes: '69 655-659 686-689 640',
    limits: { XAF: { max: 500_000 } },
    ussd_hint: '#150*50#',
  },

  { id: 'ci.mtn', name: 'MTN Mobile Money', prefixes: '05', limits: { XOF: { max: 2_000_000 } }, ussd_hint: '*133#' },
  { id: 'ci.orange', name: 'Orange Money', prefixes: '07', limits: { XOF: { max: 1_500_000 } }, ussd_hint: '#144#' },
  { id: 'ci.moov', name: 'Moov Money', prefixes: '01', limits: { XOF: { max: 2_000_000 } } },
  { id: 'ci.wave', name: 'Wave', prefixes: '', limits: { XOF: { max: 2_000_000 } } },

  { id: 'sn.orange', name: 'Orange Money', prefixes: '77 78 71', limits: { XOF: { max: 1_500_000 } } },
  { id: 'sn.free', name: 'Free Money (Yas)', prefixes: '76', limits: { XOF: { max: 1_500_000 } } },
  { id: 'sn.expresso', name: 'Expresso E-Money', prefixes: '70', limits: { XOF: { max: 1_500_000 } } },
  { id: 'sn.wave', name: 'Wave', prefixes: '', limits: { XOF: { max: 2_000_000 } } },

  {
    id: 'bj.mtn',
    name: 'MTN Mobile Money',
    prefixes: '0142 0146 0150-0154 0156 0157 0159 0161 0162 0166 0167 0169 0190 0191 0196 0197',
    limits: { XOF: { max: 3_000_000 } },
  },
  {
    id: 'bj.moov',
    name: 'Moov Money',
    prefixes: '0145 0155 0158 0160 0163-0165 0168 0194 0195 0198 0199',
    limits: { XOF: { max: 3_000_000 } },
  },
  { id: 'bj.celtiis', name: 'Celtiis Cash', prefixes: '0128 0140 0141 0143 0144 0147-0149 0192 0193' },

  {
    id: 'bf.orange',
    name: 'Orange Money',
    prefixes: '04-07 4 54-57 64-67 74-77',
    limits: { XOF: { max: 1_000_000 } },
    ussd_hint: '*144#',
  },
  { id: 'bf.moov', name: 'Moov Money', prefixes: '01-03 50-53 60-63 70-73', limits: { XOF: { max: 1_000_000 } } },
  { id: 'bf.wave', name: 'Wave', prefixes: '', limits: { XOF: { max: 2_000_000 } } },

  { id: 'ml.orange', name: 'Orange Money', prefixes: '7 82-85 90-94 200', limits: { XOF: { max: 1_500_000 } } },
  { id: 'ml.moov', name: 'Moov Money', prefixes: '6 89 95-99 2079 217', limits: { XOF: { max: 1_500_000 } } },
  { id: 'ml.wave', name: 'Wave', prefixes: '', limits: { XOF: { max: 2_000_000 } } },

  { id: 'tg.tmoney', name: 'TMoney (Yas)', prefixes: '70-72 90-93' },
  { id: 'tg.moov', name: 'Flooz (Moov)', prefixes: '78 79 96-99' },

  // Gabon: 04, 05, 06 and 07 are the prefixes before 2019, which are still in use in writing.
  { id: 'ga.airtel', name: 'Airtel Money', prefixes: '7 4 04 07', limits: { XAF: { max: 1_000_000 } } },
  { id: 'ga.moov', name: 'Moov Money', prefixes: '6 5 2-3 05 06', limits: { XAF: { max: 1_000_000 } } },

  { id: 'cg.mtn', name: 'MTN Mobile Money', prefixes: '06' },
  { id: 'cg.airtel', name: 'Airtel Money', prefixes: '05 04' },

  { id: 'td.airtel', name: 'Airtel Money', prefixes: '6 8' },
  { id: 'td.moov', name: 'Moov Money', prefixes: '9 3' },

  { id: 'cf.orange', name: 'Orange Money', prefixes: '72-74' },
  { id: 'cf.telecel', name: 'Telecel Cash', prefixes: '75 76' },

  { id: 'gn.orange', name: 'Orange Money', prefixes: '61 62', limits: { GNF: { max: 1_500_000, step: 1_000 } } },
  { id: 'gn.mtn', name: 'MTN Mobile Money', prefixes: '66', limits: { GNF: { max: 1_500_000, step: 1_000 } } },

  { id: 'cd.vodacom', name: 'M-Pesa (Vodacom)', prefixes: '81-83 86', limits: CINETPAY_CONGO },
  { id: 'cd.airtel', name: 'Airtel Money', prefixes: '96-99', limits: CINETPAY_CONGO },
  { id: 'cd.orange', name: 'Orange Money', prefixes: '80 84 85 89', limits: CINETPAY_CONGO },

  { id: 'gh.mtn', name: 'MTN Mobile Money', prefixes: '24 25 53-55 59', ussd_hint: '*170#' },
  { id: 'gh.telecel', name: 'Telecel Cash', prefixes: '20 50', ussd_hint: '*110#' },
  { id: 'gh.at', name: 'AT Money', prefixes: '23 26 27 56 57' },

  { id: 'ng.mtn', name: 'MTN MoMo', prefixes: '703 704 706 707 803 806 810 813 814 816 903 906 913 916 7025 7026' },
  { id: 'ng.airtel', name: 'Airtel SmartCash', prefixes: '701 708 802 808 812 901 902 904 907 911 912' },

  // 744 and 747 belong to other operators.
  {
    id: 'ke.mpesa',
    name: 'M-Pesa',
    prefixes: '11 14 18 70-72 740-743 745 746 748 749 757-759 768 769 79',
    limits: { KES: { max: 250_000 } },
  },
  { id: 'ke.airtel', name: 'Airtel Money', prefixes: '10 73 75 761 762 78' },

  { id: 'ug.mtn', name: 'MTN Mobile Money', prefixes: '76-78 790-794 724 737', ussd_hint: '*165#' },
  { id: 'ug.airtel', name: 'Airtel Money', prefixes: '70 74 75 730 731 795' },

  { id: 'tz.vodacom', name: 'M-Pesa (Vodacom)', prefixes: '72 74-76 79' },
  { id: 'tz.tigo', name: 'Mixx by Yas (Tigo Pesa)', prefixes: '65 67 70 71 77' },
  { id: 'tz.airtel', name: 'Airtel Money', prefixes: '66 68 69 78' },
  { id: 'tz.halotel', name: 'HaloPesa', prefixes: '61-63' },

  { id: 'rw.mtn', name: 'MTN Mobile Money', prefixes: '78 79', limits: { RWF: { max: 2_000_000 } }, ussd_hint: '*182#' },
  { id: 'rw.airtel', name: 'Airtel Money', prefixes: '72 73', limits: { RWF: { max: 2_000_000 } } },

  { id: 'zm.mtn', name: 'MTN Mobile Money', prefixes: '96 76 56' },
  { id: 'zm.airtel', name: 'Airtel Money', prefixes: '97 77 57' },
  { id: 'zm.zamtel', name: 'Zamtel Money', prefixes: '95 75 55' },
];
