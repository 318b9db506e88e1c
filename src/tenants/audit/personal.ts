import { kept, type PersonalData } from '../../kit/personal.ts';

const ACTOR = kept('who acted for the merchant, never a payer; the trail is sealed and cannot be changed', 'for ever');

const entries = {
  plain: 'team_id id tx created_at actor request_id action resource_id',
  rules: { actor_id: ACTOR, address: ACTOR },
};

export const personal: PersonalData = {
  tables: {
    audit_entries: entries,
    audit_seals: { plain: 'id after_tx up_to_tx entries previous hash sealed_at' },
    audit_group_seals: { plain: 'team_group n after_tx up_to_tx entries previous hash sealed_at' },
  },
};
