import { split } from '../../money/settlement/personal.ts';
import { kept, type PersonalData } from '../../kit/personal.ts';

const OWNER = kept('the owner of a subaccount, a contract partner of the merchant', 'the merchant changes it');

const rules = { name: OWNER, email: OWNER, phone: OWNER, business_profile: OWNER, split, settlement: OWNER, metadata: OWNER };

export const personal: PersonalData = {
  tables: {
    accounts: { plain: 'team_id id active verification event_count created_at updated_at', rules },
  },
  events: { account: { plain: 'id active verification sandbox created_at updated_at', rules } },
};
