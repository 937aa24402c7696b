package report_test

import _ "txweave/dbms/registry" // the trackers and spellings of the DBMSs
