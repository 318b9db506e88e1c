export interface MailText {
  subject: string;
  text: string;
}

/** What a mail with an invoice contains. Amounts and dates are formatted in the language of the mail. */
export interface InvoiceMail {
  merchant: string;
  number: string;
  amount: string;
  /** Last day to pay; null: no due date. */
  due: string | null;
  url: string;
  reminder: boolean;
}

/** What a mail with a receipt contains. Amounts and dates are formatted in the language of the mail. */
export interface ReceiptMail {
  merchant: string;
  amount: string;
  date: string;
  /** The merchant's reference on one line; null: none. */
  reference: string | null;
  /** Id of the payment. */
  payment: string;
  url: string;
}

/** Every text of the mails to payers and to customers of merchants. */
export interface MailTexts {
  /** Stands above the first language of a mail in several languages: this language follows below. */
  below: string;
  invoice(mail: InvoiceMail): MailText;
  receipt(mail: ReceiptMail): MailText;
}
