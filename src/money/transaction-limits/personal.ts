import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = { tables: { ceiling_uses: { plain: 'team_id direction currency period used_minor' } } };
