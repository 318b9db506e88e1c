import type { PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    installation_secrets: { plain: 'name value_sealed created_at' },
    formats: { plain: 'name permitted' },
  },
};
