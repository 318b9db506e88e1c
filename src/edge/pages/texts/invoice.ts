/** Every text of an invoice's page. A language that misses one does not compile. */
export interface InvoiceTexts {
  invoice(number: string): string;
  titleOf(number: string, merchant: string): string;
  from: string;
  taxId: string;
  for: string;
  issued: string;
  due: string;
  reference: string;
  items: string;
  total: string;
  paid: string;
  refunded: string;
  left: string;
  notes: string;
  payTitle: string;
  pay(amount: string): string;
  payPart: string;
  amount: string;
  amountHelp(least: string, most: string): string;
  amountWrong: string;
  wholeOnly: string;
  overdue: string;
  checkedTitle: string;
  underWayTitle: string;
  underWayText: string;
  goOn: string;
  paidTitle: string;
  paidText(merchant: string): string;
  cancelledTitle: string;
  cancelledText(merchant: string): string;
  notVerified: string;
  aboveCeiling: string;
  blocked: string;
  unknownTitle: string;
  unknownText: string;
}
