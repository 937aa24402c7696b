package known_test

import _ "txweave/dbms/registry" // the levels of the DBMSs
