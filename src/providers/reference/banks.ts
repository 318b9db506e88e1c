export interface Bank {
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** Value of `bank_code`: the national clearing code, with its leading zeros. */
  code: string;
  name: string;
}

/** Central Bank of Nigeria codes, as accepted by Flutterwave and Paystack. Only those on which public lists agree. */
const NIGERIA = `
044 Access Bank
023 Citibank Nigeria
050 Ecobank Nigeria
070 Fidelity Bank
011 First Bank of Nigeria
214 First City Monument Bank
103 Globus Bank
058 Guaranty Trust Bank
301 Jaiz Bank
082 Keystone Bank
303 Lotus Bank
104 Parallex Bank
076 Polaris Bank
105 PremiumTrust Bank
101 Providus Bank
221 Stanbic IBTC Bank
068 Standard Chartered Bank Nigeria
232 Sterling Bank
100 SunTrust Bank
302 TAJBank
032 Union Bank of Nigeria
033 United Bank for Africa
215 Unity Bank
035 Wema Bank
057 Zenith Bank`;

/** GhIPSS bank codes: the bank part of the sort code and 100. */
const GHANA = `
030100 Absa Bank Ghana
280100 Access Bank Ghana
080100 Agricultural Development Bank
210100 Bank of Africa Ghana
140100 CalBank
340100 Consolidated Bank Ghana
130100 Ecobank Ghana
200100 FBNBank Ghana
240100 Fidelity Bank Ghana
170100 First Atlantic Bank
330100 First National Bank Ghana
040100 GCB Bank
230100 Guaranty Trust Bank Ghana
050100 National Investment Bank
360100 OmniBSIC Bank
180100 Prudential Bank
110100 Republic Bank Ghana
090100 Société Générale Ghana
190100 Stanbic Bank Ghana
020100 Standard Chartered Bank Ghana
060100 United Bank for Africa Ghana
100100 Universal Merchant Bank
120100 Zenith Bank Ghana`;

/** Central Bank of Kenya (Kenya Bankers Association clearing) codes. */
const KENYA = `
03 Absa Bank Kenya
35 African Banking Corporation
19 Bank of Africa Kenya
16 Citibank Kenya
23 Consolidated Bank of Kenya
11 Co-operative Bank of Kenya
25 Credit Bank
63 Diamond Trust Bank Kenya
75 DIB Bank Kenya
43 Ecobank Kenya
68 Equity Bank Kenya
70 Family Bank
53 Guaranty Trust Bank Kenya
55 Guardian Bank
72 Gulf African Bank
61 HFC
57 I&M Bank Kenya
01 KCB Bank Kenya
51 Kingdom Bank
78 Kenya Women Microfinance Bank
14 M-Oriental Bank
18 Middle East Bank Kenya
12 National Bank of Kenya
07 NCBA Bank Kenya
50 Paramount Bank
10 Prime Bank
66 Sidian Bank
31 Stanbic Bank Kenya
02 Standard Chartered Bank Kenya
76 UBA Kenya Bank
54 Victoria Commercial Bank`;

/** Universal branch codes of the South African clearing, one for all branches of a bank. */
const SOUTH_AFRICA = `
632005 Absa Bank
430000 African Bank
800000 Al Baraka Bank
888000 Bank Zero
462005 Bidvest Bank
470010 Capitec Bank
350005 Citibank South Africa
679000 Discovery Bank
250655 First National Bank
570100 HBZ Bank
587000 HSBC South Africa
580105 Investec Bank
198765 Nedbank
460005 Postbank
683000 Sasfin Bank
051001 Standard Bank
730020 Standard Chartered Bank South Africa
678910 TymeBank`;

/** COBAC codes: the bank part of a Cameroonian RIB or IBAN. */
const CAMEROON = `
10005 Afriland First Bank
10040 Bange Bank Cameroun
10034 Banque Atlantique Cameroun
10036 Banque Camerounaise des PME
10035 BGFIBank Cameroun
10001 BICEC
10039 CCA-Bank
10007 Citibank Cameroon
10008 Commercial Bank Cameroun
10019 Crédit Foncier du Cameroun
10029 Ecobank Cameroun
10025 National Financial Credit Bank
10002 Société Commerciale de Banque Cameroun
10003 Société Générale Cameroun
10023 Union Bank of Cameroon
10033 United Bank for Africa Cameroon`;

/** BCEAO codes: the bank part of a UEMOA RIB or IBAN. */
const COTE_D_IVOIRE = `
CI106 Afriland First Bank Côte d’Ivoire
CI032 Bank of Africa Côte d’Ivoire
CI034 Banque Atlantique Côte d’Ivoire
CI201 Banque d’Abidjan
CI068 Banque de l’Habitat de Côte d’Ivoire
CI180 Banque de l’Union Côte d’Ivoire
CI092 Banque Nationale d’Investissement
CI162 BGFIBank Côte d’Ivoire
CI006 BICICI
CI131 Bridge Bank Group Côte d’Ivoire
CI154 BSIC Côte d’Ivoire
CI118 Citibank Côte d’Ivoire
CI166 Coris Bank International Côte d’Ivoire
CI059 Ecobank Côte d’Ivoire
CI163 Guaranty Trust Bank Côte d’Ivoire
CI211 Mansa Bank
CI042 NSIA Banque Côte d’Ivoire
CI121 Orabank Côte d’Ivoire
CI214 Orange Bank Africa
CI007 Société Ivoirienne de Banque
CI008 Société Générale Côte d’Ivoire
CI198 Stanbic Bank Côte d’Ivoire
CI150 United Bank for Africa Côte d’Ivoire
CI112 Versus Bank`;

/** BCEAO codes: the bank part of a UEMOA RIB or IBAN. */
const SENEGAL = `
SN100 Bank of Africa Sénégal
SN137 Banque Atlantique Sénégal
SN191 Banque de Dakar
SN039 Banque de l’Habitat du Sénégal
SN117 BIMAO
SN079 Banque Islamique du Sénégal
SN169 Banque Nationale pour le Développement Économique
SN144 Banque Régionale de Marchés
SN189 BGFIBank Sénégal
SN010 BICIS
SN111 BSIC Sénégal
SN012 CBAO Groupe Attijariwafa bank
SN141 Citibank Sénégal
SN213 Coris Bank International Sénégal
SN060 Crédit du Sénégal
SN156 Crédit International
SN094 Ecobank Sénégal
SN140 FBNBank Sénégal
SN048 La Banque Agricole
SN200 La Banque Outarde
SN159 NSIA Banque Sénégal
SN175 Orabank Sénégal
SN011 Société Générale Sénégal
SN153 United Bank for Africa Sénégal`;

/**
 * Banks of the markets where bank transfers are most requested. The codes are from the public lists of payout
 * providers (TransferZero for GH, KE, ZA, CM, CI and SN; Flutterwave for NG). Banks whose code differs between lists,
 * or that have merged or changed owner since, are not included.
 */
export const BANKS: readonly Bank[] = [
  ...banks('NG', NIGERIA),
  ...banks('GH', GHANA),
  ...banks('KE', KENYA),
  ...banks('ZA', SOUTH_AFRICA),
  ...banks('CM', CAMEROON),
  ...banks('CI', COTE_D_IVOIRE),
  ...banks('SN', SENEGAL),
];

/**
 * Returns the banks of a country, or all.
 * @param country ISO 3166-1 alpha-2, in either case; when omitted, all countries
 */
export function banksOf(country?: string): readonly Bank[] {
  return country === undefined ? BANKS : BANKS.filter((bank) => bank.country === country.toUpperCase());
}

/** Returns the name of a bank; undefined when the list does not have its code. */
export function bankName(country: string, code: string): string | undefined {
  return banksOf(country).find((bank) => bank.code === code)?.name;
}

/** Parses a list with one bank a line: code, space, name. */
function banks(country: string, lines: string): Bank[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [code, ...words] = line.split(' ') as [string, ...string[]];
      return { country, code, name: words.join(' ') };
    });
}
