import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = { tables: { schema_migrations: { plain: 'id name run_on' } } };
