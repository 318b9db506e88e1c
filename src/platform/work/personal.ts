import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = { tables: { work_members: { plain: 'member ends_at' } } };
