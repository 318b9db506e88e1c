import { kept, type PersonalData } from '../../kit/personal.ts';

const LISTS = kept(
  'which three characters the texts of a row contain, without their order; a search reads it',
  'until the segment is built again without the texts of the person: about a minute, or half an hour where the rows of many segments change all the time',
);

export const personal: PersonalData = {
  tables: {
    search_segments: { plain: 'team_id kind last_id segment row_count ids' },
    search_postings: {
      plain: 'team_id kind field_group bucket segment ends',
      rules: { thirds: LISTS, lists: LISTS },
    },
    search_changed: { plain: 'team_id kind id n' },
    search_builds: { plain: 'team_id kind due_at leased_until claim next_segment marked_id marked_xid rebuilt_id' },
  },
};
