/** Kind of the values of a field that are stored. `own`: only our ids, because some providers accept a text of the merchant there. */
export type Kind = 'code' | 'amount' | 'time' | 'id' | 'own';

/**
 * Fields of the providers' requests and responses whose values are stored, if they have the form of their kind. No other value is
 * stored, because a provider may add a field, or return a payer's data anywhere.
 */
const KINDS: Record<Kind, string> = {
  code:
    'status state code type currency country network provider operator channels lang use result success ' +
    'errorCode error_code failureCode rejectionCode reasonCode ResponseCode ResultCode TransactionType partyIdType ' +
    'payment_status checkout_status treatment_status payment_method event cpm_currency cpm_language cpm_version cpm_page_action cpm_error_message ' +
    'operationType nextStep mode auth_model processor_response lock_phone_number',
  amount:
    'amount Amount fee charged_amount amount_settled amount_refunded requestedAmount depositedAmount refundedAmount receive_amount ' +
    'transfer_amount cpm_amount balance available_balance availableBalance expires_in',
  time: 'created createdAt created_at respondedByPayer receivedByRecipient customerTimestamp when_completed when_created when_expires when_refunded expires_at timestamp cpm_trans_date',
  id:
    'id depositId payoutId refundId externalId referenceId transactionId financialTransactionId providerTransactionId ' +
    'clientReferenceId client_reference aggregated_merchant_id tx_ref flw_ref order_id transaction_id txnid AccountReference ' +
    'cpm_trans_id client_transaction_id MerchantRequestID CheckoutRequestID ConversationID OriginatorConversationID operator_transaction_id operator_id transfer_reference',
  own: 'reference',
};

export const FIELDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as Kind] as const)),
);

/** Objects and lists whose fields are examined. */
export const CONTAINERS: ReadonlySet<string> = new Set(
  (
    'data payer payee recipient accountDetails failureReason rejectionReason reason error errors Body stkCallback meta authorization ' +
    'result balances CallbackMetadata Item'
  ).split(' '),
);

/** Fields that are stored without their value, to show that they were sent. */
export const NAMED: ReadonlySet<string> = new Set(
  (
    'message description customer phoneNumber phone_number PhoneNumber partyId PartyA PartyB msisdn customerMessage payerMessage payeeNote email name ' +
    'customer_phone_number restrict_payer_mobile authorizationUrl payment_url wave_launch_url return_url cancel_url notif_url notify_url ' +
    'redirect_url success_url error_url successfulUrl failedUrl CallBackURL TransactionDesc ResponseDescription ResultDesc CustomerMessage ' +
    'errorMessage error_message failureMessage rejectionMessage access_token token pay_token notif_token merchant_key apikey site_id Password ' +
    'BusinessShortCode preAuthorisationCode signature cpm_site_id cel_phone_num cpm_phone_prefixe cpm_designation cpm_custom'
  ).split(' '),
);
