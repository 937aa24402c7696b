package index_test

import _ "txweave/dbms/registry" // how the statements of the DBMSs are read
