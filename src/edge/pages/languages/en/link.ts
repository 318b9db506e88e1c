import type { LinkTexts } from '../../texts/link.ts';

export const link: LinkTexts = {
  amount: 'Amount',
  range: (min, max) => (max === null ? `At least ${min}.` : `Between ${min} and ${max}.`),
  fields: { name: 'Name', email: 'E-mail', phone: 'Phone number' },
  next: 'Continue',
  nextHelp: 'You choose how to pay on the next page. Nothing is charged before that.',
  closed: {
    inactive: { title: 'This link is not active', text: 'The merchant does not take payments through it at the moment.' },
    expired: { title: 'This link has expired', text: 'The time to pay has passed. Ask the merchant for a new link.' },
    used: { title: 'This link has been used', text: 'It has reached its number of payments. Ask the merchant for a new link.' },
    full: {
      title: 'Someone else is paying',
      text: 'Other payments through this link are in progress. If one is not completed, the link opens again: try again in a few minutes.',
    },
    unverified: {
      title: 'This merchant cannot take payments yet',
      text: 'No money was taken. Please ask the merchant for another payment method.',
    },
    unknown: { title: 'Link not found', text: 'Check that the address is complete, or ask the merchant for a new link.' },
  },
  busy: 'Too many attempts. Wait a minute, then try again.',
  errors: {
    amount: 'Enter an amount, such as 5000.',
    decimals: 'Enter a whole amount.',
    name: 'Enter your name.',
    email: 'This is not an e-mail address.',
    phone: 'This is not a complete phone number. You can also start with + and the country code.',
    phoneCountry: 'This number exists in several countries. Enter it with + and the country code.',
    form: 'The page was open for too long or your browser blocks cookies. Please try again.',
    repriced: 'The merchant has changed the amount of this link. Please check it and try again.',
    ceiling: 'The merchant cannot take this amount in one payment.',
    refused: 'The merchant cannot take this payment. Please ask for another payment method.',
  },
};
