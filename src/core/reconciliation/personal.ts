import { fields, kept, type PersonalData } from '../../kit/personal.ts';

const OPERATOR = kept('which operator compared which file', 'for ever');

export const personal: PersonalData = {
  tables: {
    reconciliation_runs: {
      plain: 'team_id id provider provider_account account_name file_hash from_at to_at applied created_at finished_at',
      rules: {
        file_name: OPERATOR,
        author: OPERATOR,
        reading: fields({ plain: 'lines bad faults pending other fees hash first_at last_at' }),
        tallies: fields({ plain: 'verdict flow currency count sum_minor' }),
      },
    },
    reconciliation_breaks: {
      plain:
        'team_id run_id kind id flow line key reference subject_id of_id leg there_minor there_currency there_at there_status ' +
        'here_minor here_currency here_at here_standing action state outcome',
    },
  },
};
