require('./suite.cjs')('one')
