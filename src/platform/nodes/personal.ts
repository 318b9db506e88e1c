import { fields, type PersonalData } from '../../kit/personal.ts';

export const personal: PersonalData = {
  tables: {
    node_reports: {
      plain: 'node topic key reported_at',
      rules: { body: fields({ plain: 'reaches skew_ms counts circuit' }) },
    },
  },
};
