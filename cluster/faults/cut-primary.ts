import { connectMember } from '../network.ts';
import { type Fault, failover } from './fault.ts';

/** The former primary learns of it only when it is back. */
const ALONE_S = 8;

export const cutPrimary: Fault = {
  name: 'cut-primary',
  title: 'the network of the primary is cut',
  impossible: ({ site }) =>
    site.network.members.every(({ holder }) => holder !== null) ? null : 'the members have no network of their own',
  async run(stage) {
    let cut = '';
    try {
      const course = await failover(stage, (primary) => {
        cut = primary;
        stage.cut(primary);
      });
      await stage.wait(ALONE_S);
      return course;
    } finally {
      if (cut !== '') connectMember(stage.member(cut));
    }
  },
};
